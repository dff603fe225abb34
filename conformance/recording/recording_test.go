package recording

import (
	"path/filepath"
	"reflect"
	"testing"
)

func TestRoundTrip(t *testing.T) {
	type record struct{ Said map[string][]string }
	written := record{map[string][]string{"case": {"FieldValueRequired spec.driver"}, "é": nil}}
	file := filepath.Join(t.TempDir(), "new", "record.json.gz")
	if size := Write(t, file, written); size == 0 {
		t.Error("nothing is written")
	}
	var read record
	if Read(t, file, &read); !reflect.DeepEqual(written, read) {
		t.Errorf("%+v was written, %+v is read", written, read)
	}
}
