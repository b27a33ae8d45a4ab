package main

import (
	"context"
	"fmt"
	"os"
)

// The first turn rolls the singer on the road, who brings in what lies under the
// cloud. The second message brings lightwood in and rolls loose stones.
func Example() {
	if err := run(context.Background(), os.Stdout, "../skerrow"); err != nil {
		fmt.Println(err)
	}
	// Output:
	// turn 1
	//   preamble    skerrow         82 tokens
	//   foundation  pilot           54 tokens
	//   backdrop    mule_road       26 tokens
	//   reference   under           50 tokens
	//   guidance    manner          58 tokens
	//   foreground  road_singer     21 tokens
	// turn 2
	//   preamble    skerrow         82 tokens
	//   foundation  pilot           54 tokens
	//   backdrop    mule_road       26 tokens
	//   backdrop    lightwood       51 tokens
	//   guidance    manner          58 tokens
	//   foreground  road_rockfall   33 tokens
}
