// docs/reference/go/main.go -- writes the HTML reference of the Go package, from its source alone.
//
// usage: go run main.go PACKAGE_DIRECTORY OUTPUT.html. It parses the files and compiles nothing, so that the page can
// be made where the library is not built.
package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/doc"
	"go/doc/comment"
	"go/format"
	"go/parser"
	"go/token"
	"html"
	"log"
	"os"
	"path/filepath"
	"strings"
)

const head = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>gpuopt: the Go package</title>
<style>
body { font: 16px/1.5 sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; color: #222; }
a { color: #1657a0; text-decoration: none; }
a:hover { text-decoration: underline; }
pre { background: #f4f6f8; padding: .7em; overflow-x: auto; }
code, pre { font: 14px/1.4 monospace; }
h3 { margin-top: 2em; border-top: 1px solid #ddd; padding-top: 1em; }
.index { columns: 3; font: 14px/1.5 monospace; list-style: none; padding: 0; }
</style>
</head>
<body>
`

// page collects the HTML of one package.
type page struct {
	bytes.Buffer
	files *token.FileSet
	doc   *doc.Package
}

// load parses the package in a directory, without its tests.
func load(directory string) (*page, error) {
	files := token.NewFileSet()
	paths, err := filepath.Glob(filepath.Join(directory, "*.go"))
	if err != nil {
		return nil, err
	}
	var parsed []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(files, path, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		parsed = append(parsed, file)
	}
	if len(parsed) == 0 {
		return nil, fmt.Errorf("%s has no Go files", directory)
	}
	made, err := doc.NewFromFiles(files, parsed, "gpuopt")
	return &page{files: files, doc: made}, err
}

// comment writes a doc comment; its links lead to places on this page, or to the standard library's documentation.
func (p *page) comment(text string) {
	printer := p.doc.Printer()
	printer.HeadingLevel = 2
	printer.DocLinkURL = func(link *comment.DocLink) string {
		if link.ImportPath != "" {
			return link.DefaultURL("https://pkg.go.dev")
		}
		return link.DefaultURL("")
	}
	p.Write(printer.HTML(p.doc.Parser().Parse(text)))
}

// declaration writes Go source, without the bodies of functions.
func (p *page) declaration(node ast.Node) error {
	if function, ok := node.(*ast.FuncDecl); ok {
		function.Body = nil
	}
	var text bytes.Buffer
	if err := format.Node(&text, p.files, node); err != nil {
		return err
	}
	fmt.Fprintf(p, "<pre>%s</pre>\n", html.EscapeString(text.String()))
	return nil
}

// function writes a function, or a method where receiver is the name of its type.
func (p *page) function(f *doc.Func, receiver string) error {
	id := f.Name
	if receiver != "" {
		id = receiver + "." + f.Name
	}
	fmt.Fprintf(p, "<h3 id=\"%s\">func %s</h3>\n", id, id)
	f.Decl.Doc = nil
	if err := p.declaration(f.Decl); err != nil {
		return err
	}
	p.comment(f.Doc)
	return nil
}

// values writes groups of constants or variables, each name of which is a place to link to.
func (p *page) values(groups []*doc.Value) error {
	for _, group := range groups {
		for _, name := range group.Names {
			fmt.Fprintf(p, "<a id=\"%s\"></a>", name)
		}
		group.Decl.Doc = nil
		if err := p.declaration(group.Decl); err != nil {
			return err
		}
		p.comment(group.Doc)
	}
	return nil
}

// typ writes a type with its constants, the functions that make it and its methods.
func (p *page) typ(t *doc.Type) error {
	fmt.Fprintf(p, "<h3 id=\"%s\">type %s</h3>\n", t.Name, t.Name)
	t.Decl.Doc = nil
	if err := p.declaration(t.Decl); err != nil {
		return err
	}
	p.comment(t.Doc)
	if err := p.values(append(t.Consts, t.Vars...)); err != nil {
		return err
	}
	for _, f := range t.Funcs {
		if err := p.function(f, ""); err != nil {
			return err
		}
	}
	for _, method := range t.Methods {
		if err := p.function(method, t.Name); err != nil {
			return err
		}
	}
	return nil
}

// index writes a link to each type and function.
func (p *page) index() {
	p.WriteString("<h2>Index</h2>\n<ul class=\"index\">\n")
	link := func(id string) { fmt.Fprintf(p, "<li><a href=\"#%s\">%s</a></li>\n", id, id) }
	for _, f := range p.doc.Funcs {
		link(f.Name)
	}
	for _, t := range p.doc.Types {
		link(t.Name)
		for _, f := range t.Funcs {
			link(f.Name)
		}
		for _, method := range t.Methods {
			link(t.Name + "." + method.Name)
		}
	}
	p.WriteString("</ul>\n")
}

// write writes the whole page.
func (p *page) write() error {
	p.WriteString(head)
	p.WriteString("<p><a href=\"../index.html\">gpuopt's manual</a></p>\n<h1>The Go package gpuopt</h1>\n")
	p.comment(p.doc.Doc)
	p.index()
	p.WriteString("<h2>Constants and variables</h2>\n")
	if err := p.values(append(p.doc.Consts, p.doc.Vars...)); err != nil {
		return err
	}
	p.WriteString("<h2>Functions</h2>\n")
	for _, f := range p.doc.Funcs {
		if err := p.function(f, ""); err != nil {
			return err
		}
	}
	p.WriteString("<h2>Types</h2>\n")
	for _, t := range p.doc.Types {
		if err := p.typ(t); err != nil {
			return err
		}
	}
	p.WriteString("</body>\n</html>\n")
	return nil
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: go run main.go PACKAGE_DIRECTORY OUTPUT.html")
	}
	made, err := load(os.Args[1])
	if err == nil {
		err = made.write()
	}
	if err == nil {
		err = os.WriteFile(os.Args[2], made.Bytes(), 0o644)
	}
	if err != nil {
		log.Fatal(err)
	}
}
