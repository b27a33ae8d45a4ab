package chats_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/chats"
	"github.com/weft-memory/weft/internal/testenv"
)

func table(t testing.TB) *format.Table {
	t.Helper()
	tab, err := format.NewTable(chats.Codecs()...)
	if err != nil {
		t.Fatal(err)
	}
	return tab
}

// checkFile reads a file, expects the format, and writes it back unedited.
func checkFile(t *testing.T, tab *format.Table, path, want string) *format.Document {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	doc, report, err := format.Read(context.Background(), tab, format.Bytes(path, data))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range report.Problems {
		t.Log(p)
	}
	if doc.Format != want {
		t.Errorf("read as %s, want %s", doc.Format, want)
	}
	out, _, err := format.Write(context.Background(), tab, doc, doc.Format)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Bytes(), data) {
		t.Errorf("written back otherwise:\n%s", out.Bytes())
	}
	return doc
}

var sampleFormats = map[string]string{
	"st_chat.jsonl": chats.TavernName, "chub_chat.jsonl": chats.ChubName, "risu_chat.json": chats.RisuName,
	"risu_chat.txt": chats.RisuTextName, "agnai_chat.json": chats.AgnaiName, "backyard_log.txt": chats.BackyardLogName,
	"textgen_webui_chat.json": chats.TextgenName, "cai_tools_history.json": chats.CAIName, "plain_log.txt": chats.LogName,
}

func TestFormatsSamples(t *testing.T) {
	t.Parallel()
	dir := testenv.Formats(t, "samples")
	for name, want := range sampleFormats {
		t.Run(name, func(t *testing.T) { checkFile(t, table(t), filepath.Join(dir, name), want) })
	}
}

func TestOwnFiles(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"tavern.jsonl": chats.TavernName, "chub.jsonl": chats.ChubName, "risu.json": chats.RisuName, "risu.txt": chats.RisuTextName,
		"agnai.json": chats.AgnaiName, "backyard.txt": chats.BackyardLogName, "backyard_v2.json": chats.BackyardName,
		"webui.json": chats.TextgenName, "cai.json": chats.CAIName, "log.txt": chats.LogName,
	} {
		t.Run(name, func(t *testing.T) {
			doc := checkFile(t, table(t), filepath.Join("testdata", name), want)
			for _, c := range doc.Chats {
				for _, m := range c.Messages {
					t.Logf("%s %s %q %q %v", m.Role, m.Name, m.Content, m.Time, m.Variants)
				}
			}
		})
	}
}
