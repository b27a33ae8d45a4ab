package chats_test

import (
	"context"
	"fmt"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/chats"
)

func Example() {
	table, err := format.NewTable(chats.Codecs()...)
	if err != nil {
		panic(err)
	}
	src := format.Bytes("valley", []byte(`{"user_name":"Pim","character_name":"Odile","chat_metadata":{}}
{"name":"Odile","is_user":false,"mes":"No.","swipes":["Yes.","No."],"swipe_id":1}`))
	doc, _, err := format.Read(context.Background(), table, src)
	if err != nil {
		panic(err)
	}
	m := &doc.Chats[0].Messages[0]
	fmt.Println(m.Role, m.Variants, m.Active)
	m.Active, m.Content = 0, m.Variants[0]
	out, _, err := format.Write(context.Background(), table, doc, doc.Format)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(out.Bytes()))
	// Output:
	// assistant [Yes. No.] 1
	// {"user_name":"Pim","character_name":"Odile","chat_metadata":{}}
	// {"name":"Odile","is_user":false,"mes":"Yes.","swipes":["Yes.","No."],"swipe_id":0}
}
