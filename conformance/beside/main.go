// Command beside measures drawbridge validate beside other programs that check
// manifests, on the same generated files, each as a whole process and turn by
// turn, and shows which faults each of them finds.
//
//	cd conformance
//	go run ./beside
//
// The others are built from the modules kubeconform and kubectl-validate. What
// they go by is Kubernetes' own OpenAPI document of resource.k8s.io/v1, so that
// nothing is downloaded while they run.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"
)

func main() {
	files := flag.Int("files", 10_000, "how many manifests there are")
	rounds := flag.Int("rounds", 5, "how often each program runs")
	flag.Parse()
	if err := measure(*files, *rounds, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func measure(files, rounds int, out io.Writer) error {
	work, err := os.MkdirTemp("", "beside")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	manifests, schemas := filepath.Join(work, "manifests"), filepath.Join(work, "schemas")
	for _, folder := range []string{manifests, schemas} {
		if err := os.Mkdir(folder, 0o755); err != nil {
			return err
		}
	}
	if err := write(manifests, files); err != nil {
		return err
	}
	document, err := openAPI()
	if err != nil {
		return err
	}
	if err := writeSchemas(document, schemas); err != nil {
		return err
	}
	for _, p := range programs {
		if err := p.build(work); err != nil {
			return err
		}
	}
	// The first run of each warms the file system's cache, and is not counted.
	found := make([]map[string]remark, len(programs))
	for i, p := range programs {
		var output bytes.Buffer
		if _, err := p.run(work, schemas, manifests, &output, p.asJSON...); err != nil {
			return err
		}
		if found[i], err = p.read(output.Bytes()); err != nil {
			return fmt.Errorf("%s prints what cannot be read: %w", p.name, err)
		}
	}
	costs := make([][]cost, len(programs))
	for range rounds {
		for i, p := range programs {
			c, err := p.run(work, schemas, manifests, io.Discard)
			if err != nil {
				return err
			}
			costs[i] = append(costs[i], c)
		}
	}
	printCosts(out, files, costs)
	printFound(out, tally(files, found))
	return nil
}

// printCosts shows what the runs took: least, median and most.
func printCosts(out io.Writer, files int, costs [][]cost) {
	fmt.Fprintf(out, "| %d files, %s workers | processor time, s | files for a second of it | against drawbridge | elapsed, s | memory, MiB |\n|---|---|---|---|---|---|\n", files, workers)
	var ours float64
	for i, p := range programs {
		cpu, elapsed := spread(costs[i], func(c cost) time.Duration { return c.cpu }), spread(costs[i], func(c cost) time.Duration { return c.elapsed })
		memory := slices.MaxFunc(costs[i], func(a, b cost) int { return int(a.memory - b.memory) }).memory
		if i == 0 {
			ours = cpu[1]
		}
		fmt.Fprintf(out, "| %s | %.1f, %.1f, %.1f | %.0f | %.2f | %.1f, %.1f, %.1f | %d |\n",
			p.name, cpu[0], cpu[1], cpu[2], float64(files)/cpu[1], cpu[1]/ours, elapsed[0], elapsed[1], elapsed[2], memory>>20)
	}
}

// spread gives the least, the median and the most, in seconds.
func spread(costs []cost, of func(cost) time.Duration) [3]float64 {
	var all []float64
	for _, c := range costs {
		all = append(all, of(c).Seconds())
	}
	slices.Sort(all)
	return [3]float64{all[0], all[len(all)/2], all[len(all)-1]}
}

// row is how many files have a fault, and of how many each program says so.
type row struct {
	name  string
	files int
	found []int
}

// result is what was found. Beside the faults it counts the files without one
// of which something was said nevertheless, and remarks that name a line, or
// a line and a column.
type result struct {
	faults                []row
	right, lines, columns row
}

func tally(files int, found []map[string]remark) result {
	rows := map[*fault]*row{}
	var out result
	blank := func(name string) row { return row{name: name, found: make([]int, len(found))} }
	out.right, out.lines, out.columns = blank("files without a fault"), blank("found with a line"), blank("found with a line and a column")
	for i := range faults {
		r := blank(faults[i].name)
		rows[&faults[i]] = &r
	}
	for i := range files {
		wrong, r := wrongOf(i), &out.right
		if wrong != nil {
			r = rows[wrong]
			out.lines.files++
			out.columns.files++
		}
		r.files++
		for p := range found {
			remark, said := found[p][nameOf(i)]
			if !said {
				continue
			}
			r.found[p]++
			if wrong != nil && remark.line {
				out.lines.found[p]++
				if remark.column {
					out.columns.found[p]++
				}
			}
		}
	}
	for i := range faults {
		out.faults = append(out.faults, *rows[&faults[i]])
	}
	return out
}

func printFound(out io.Writer, r result) {
	fmt.Fprint(out, "\n| fault | files |")
	for _, p := range programs {
		fmt.Fprintf(out, " %s |", p.name)
	}
	fmt.Fprint(out, "\n|---|---|---|---|---|\n")
	for _, row := range slices.Concat(r.faults, []row{r.lines, r.columns, r.right}) {
		fmt.Fprintf(out, "| %s | %d |", row.name, row.files)
		for _, n := range row.found {
			fmt.Fprintf(out, " %d |", n)
		}
		fmt.Fprintln(out)
	}
}
