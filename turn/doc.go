// Package turn holds what lies between a chat and a prompt: it brings the state
// of a conversation up to the present, and lays blocks of lore into the list of
// messages that goes to the model.
//
// [Layout] says where each block goes. [Replayer] finds the state for hosts
// that keep none, by playing the chat's earlier turns again.
package turn
