package app

// commands is the command line: one field a command, each in a file of its
// own.
type commands struct {
	Assemble   assembleCmd   `cmd:"" help:"Show which lore enters the prompt for a chat, and why."`
	Check      checkCmd      `cmd:"" help:"Report all problems of books at once."`
	Fmt        fmtCmd        `cmd:"" help:"Format the templates in .weaver files."`
	Render     renderCmd     `cmd:"" help:"Render one template, or the body of one entry."`
	Bundle     bundleCmd     `cmd:"" help:"Put a book into a single file or an image, or take it out again."`
	Import     importCmd     `cmd:"" help:"Make Weft's own folders of books, cards and chats of other programs."`
	Export     exportCmd     `cmd:"" help:"Write a book for another program, and say what is lost."`
	Convert    convertCmd    `cmd:"" help:"Convert a book, a card or a chat from any format into any other."`
	Inspect    inspectCmd    `cmd:"" help:"Say what a file is, what is in it, and what other formats would lose."`
	Proxy      proxyCmd      `cmd:"" help:"Stand between a front end and a model server, and add lore."`
	Serve      serveCmd      `cmd:"" help:"Keep worlds and conversations, and serve them over HTTP."`
	Signatures signaturesCmd `cmd:"" help:"List the commands and processors that templates may call."`
	Version    versionCmd    `cmd:"" help:"Print the version."`
}
