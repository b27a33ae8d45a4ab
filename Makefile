# The two commands: `make` starts the server, `make test` runs every check.
# `make test CORE=1` is content with what needs nothing but Go; `make demo` shows
# the engine at work on the example world.

.PHONY: serve demo test build fmt generate

serve:
	go run ./cmd/weft serve

demo:
	go run ./cmd/weft assemble examples/skerrow --chat examples/chats/first-evening.txt --vars examples/vars.yaml

test:
	go run ./internal/citest

build:
	go build -o bin/weft ./cmd/weft

fmt:
	go tool gofumpt -w .

generate:
	go generate ./...
	go run ./internal/gen/thirdparty
