// MOSN as the lab measures it: its own start, with what a TCP proxy needs and none of its other filters, some of whose modules can't be
// had everywhere. The words are those of MOSN's command: start -c FILE.
package main

import (
	"fmt"
	"os"

	"github.com/urfave/cli"
	_ "mosn.io/mosn/pkg/filter/network/streamproxy"
	"mosn.io/mosn/pkg/mosn"
	_ "mosn.io/mosn/pkg/network"
	"mosn.io/mosn/pkg/stagemanager"
)

func main() {
	start := cli.Command{
		Name:  "start",
		Flags: []cli.Flag{cli.StringFlag{Name: "config, c"}},
		Action: func(context *cli.Context) error {
			stages := stagemanager.InitStageManager(context, context.String("config"), mosn.NewMosn())
			stages.AppendInitStage(mosn.DefaultInitStage)
			stages.AppendPreStartStage(mosn.DefaultPreStartStage)
			stages.AppendStartStage(mosn.DefaultStartStage)
			stages.RunAll()
			return nil
		},
	}
	app := cli.NewApp()
	app.Name = "mosn"
	app.Commands = []cli.Command{start}
	if err := app.Run(os.Args); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
