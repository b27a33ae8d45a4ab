package app

import "github.com/alecthomas/kong"

// commandGroups are the headings of the help, in order.
var commandGroups = []kong.Group{
	{Key: "lore", Title: "Lore in files"},
	{Key: "formats", Title: "Other programs"},
	{Key: "servers", Title: "Servers"},
	{Key: "worlds", Title: "Worlds on a server"},
	{Key: "program", Title: "The program"},
}

// commands is the command line: one field a command, each in a file of its
// own.
type commands struct {
	Config string `placeholder:"FILE" help:"Read the settings from this file. weft config shows where they are read from otherwise."`

	Assemble assembleCmd `cmd:"" group:"lore" help:"Show which lore enters the prompt for a chat, and why."`
	Check    checkCmd    `cmd:"" group:"lore" help:"Report all problems of books at once."`
	Fmt      fmtCmd      `cmd:"" group:"lore" help:"Format the templates in .weaver files."`
	Render   renderCmd   `cmd:"" group:"lore" help:"Render one template, or the body of one entry."`
	Bundle   bundleCmd   `cmd:"" group:"lore" help:"Put a book into a single file or an image, or take it out again."`

	Signatures signaturesCmd `cmd:"" group:"lore" help:"List the commands and processors that templates may call."`

	Import  importCmd  `cmd:"" group:"formats" help:"Make Weft's own folders of books, cards and chats of other programs."`
	Export  exportCmd  `cmd:"" group:"formats" help:"Write a book for another program, and say what is lost."`
	Convert convertCmd `cmd:"" group:"formats" help:"Convert a book, a card or a chat from any format into any other."`
	Inspect inspectCmd `cmd:"" group:"formats" help:"Say what a file is, what is in it, and what other formats would lose."`

	Serve   serveCmd   `cmd:"" group:"servers" help:"Keep worlds and conversations, and serve them over HTTP."`
	Proxy   proxyCmd   `cmd:"" group:"servers" help:"Stand between a front end and a model server, and add lore."`
	Backup  backupCmd  `cmd:"" group:"servers" help:"Write everything in a database into one file, while it is in use."`
	Restore restoreCmd `cmd:"" group:"servers" help:"Make a database from a backup."`

	Status       statusCmd       `cmd:"" group:"worlds" help:"Say which server or database is used, and what is in it."`
	World        worldCmd        `cmd:"" group:"worlds" help:"List, make and delete worlds."`
	Book         bookCmd         `cmd:"" group:"worlds" help:"List, show, import, export and delete books."`
	Character    characterCmd    `cmd:"" group:"worlds" help:"List, import and export characters."`
	Conversation conversationCmd `cmd:"" group:"worlds" help:"List, show, import and export conversations; assemble their prompts."`
	Entry        entryCmd        `cmd:"" group:"worlds" help:"List and show entries as they stand at a message."`
	Search       searchCmd       `cmd:"" group:"worlds" help:"Look for words in entries and messages."`
	History      historyCmd      `cmd:"" group:"worlds" help:"Show what became of an entry, step by step."`
	Activity     activityCmd     `cmd:"" group:"worlds" help:"Show what was done to the lore, the newest first."`
	Undo         undoCmd         `cmd:"" group:"worlds" help:"Take operations back."`
	Redo         redoCmd         `cmd:"" group:"worlds" help:"Make operations count again that were undone."`
	User         userCmd         `cmd:"" group:"worlds" help:"List and make users, and their tokens."`

	Settings configCmd  `cmd:"" name:"config" group:"program" help:"Show the settings, and where each value comes from."`
	Bench    benchCmd   `cmd:"" group:"program" help:"Measure the search on questions and scenes whose answers are known."`
	Version  versionCmd `cmd:"" group:"program" help:"Print the version."`
}
