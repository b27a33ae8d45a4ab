package server

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"mime"
	"net/http"
	"path"
	"strconv"

	"github.com/weft-memory/weft/client/api"
	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/server/internal/params"
	"github.com/weft-memory/weft/store"
	"github.com/weft-memory/weft/world"
)

func itoa(n int) string { return strconv.Itoa(n) }

func (s *Server) registerImports() {
	const tag = "import and export"
	add(s, route{method: "GET", path: prefix + "/formats", id: "list-formats", summary: "The formats that can be imported and exported", tag: tag}, s.listFormats)
	add(s, route{method: "POST", path: worldPath + "/import", id: "import", summary: "Bring a file of another program into a world, all or nothing", status: 201, tag: tag, file: true}, s.importFile)
	add(s, route{method: "GET", path: worldPath + "/export", id: "export", summary: "Write a book, a character or a conversation in a format", tag: tag}, s.export)
}

func (s *Server) listFormats(_ context.Context, in *params.Paging) (*reply[api.Page[api.Format]], error) {
	return part(s.worlds.Formats(), *in, nil, sure(func(f format.Info) api.Format {
		return api.Format{
			Name: f.Name, Title: f.Title, Extensions: append([]string{}, f.Extensions...), Books: f.Books, Characters: f.Characters, Chats: f.Chats, ReadOnly: f.ReadOnly,
		}
	}))
}

func (s *Server) importFile(ctx context.Context, in *struct {
	params.InWorld
	Name       string `query:"name" required:"true" minLength:"1" maxLength:"1000" doc:"The name of the file; its ending helps to recognise the format."`
	Format     string `query:"format" maxLength:"100" doc:"Defaults to what the content looks like."`
	Replace    bool   `query:"replace" doc:"Save under ids that are taken, as new revisions."`
	Chats      bool   `query:"chats" doc:"Take chats; without any of the three everything is taken."`
	Books      bool   `query:"books" doc:"Take books."`
	Characters bool   `query:"characters" doc:"Take characters."`
	External   string `query:"external" maxLength:"1000" doc:"The external id of the conversation, for a file with one chat."`
	Settings   string `query:"settings" maxLength:"100000" doc:"Settings of conversations that are made, as JSON."`
	RawBody    []byte `contentType:"application/octet-stream"`
},
) (*reply[api.Imported], error) {
	settings, err := settingsOf(json.RawMessage(in.Settings))
	if err != nil {
		return nil, err
	}
	src := format.Bytes(path.Base(in.Name), in.RawBody).WithLimits(format.Limits{FileBytes: s.opts.MaxFile, TotalBytes: 4 * s.opts.MaxFile})
	o := world.Import{
		Format: in.Format, Replace: in.Replace, Chats: in.Chats, Books: in.Books, Characters: in.Characters, Settings: settings, External: in.External,
	}
	return write(ctx, http.StatusCreated, func(ctx context.Context) (world.Imported, error) {
		return s.worlds.Import(ctx, in.World, src, o)
	}, func(i world.Imported) (rendered[api.Imported], error) {
		out := api.Imported{Books: []api.Book{}, Characters: []string{}, Conversations: []string{}, Bindings: i.Bindings, IDs: i.IDs}
		for _, b := range i.Books {
			r, _ := renderBook(b)
			out.Books = append(out.Books, r.body)
		}
		for _, c := range i.Characters {
			out.Characters = append(out.Characters, c.ID)
		}
		for _, c := range i.Conversations {
			out.Conversations = append(out.Conversations, c.ID)
		}
		var err error
		if i.Report != nil {
			out.Report, err = json.Marshal(i.Report)
		}
		return rendered[api.Imported]{body: out}, err
	})
}

// file is an answer that is a file.
type file struct {
	ContentType string `header:"Content-Type"`
	Disposition string `header:"Content-Disposition"`
	// Losses is how many things the format had no place for.
	Losses string `header:"Weft-Losses" doc:"How many things the format had no place for."`
	Body   []byte `contentType:"application/octet-stream"`
}

func (s *Server) export(ctx context.Context, in *struct {
	params.InWorld
	Format       string `query:"format" required:"true" minLength:"1" maxLength:"100"`
	Book         string `query:"book" maxLength:"1000"`
	Character    string `query:"character" maxLength:"1000"`
	Conversation string `query:"conversation" maxLength:"1000"`
},
) (*file, error) {
	var out *format.Output
	var report *format.Report
	var err error
	switch {
	case in.Book != "" && in.Character == "" && in.Conversation == "":
		out, report, err = s.worlds.ExportBook(ctx, in.World, in.Book, in.Format)
	case in.Character != "" && in.Book == "" && in.Conversation == "":
		out, report, err = s.worlds.ExportCharacter(ctx, in.World, in.Character, in.Format)
	case in.Conversation != "" && in.Book == "" && in.Character == "":
		out, report, err = s.worlds.ExportConversation(ctx, in.World, in.Conversation, in.Format)
	default:
		err = store.Errorf(store.Invalid, "name one of book, character and conversation")
	}
	if err != nil {
		return nil, err
	}
	f := &file{ContentType: "application/octet-stream", Losses: "0"}
	if report != nil {
		f.Losses = itoa(len(report.Filter(format.Lost)))
	}
	name := "export.zip"
	if len(out.Files) == 1 && !out.Folder {
		name, f.Body = path.Base(out.Files[0].Path), out.Bytes()
	} else if f.Body, err = zipped(out); err != nil {
		return nil, err
	}
	f.Disposition = mime.FormatMediaType("attachment", map[string]string{"filename": name})
	return f, nil
}

// zipped puts a folder into one file.
func zipped(out *format.Output) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range out.Files {
		w, err := z.Create(f.Path)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(f.Data); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), z.Close()
}
