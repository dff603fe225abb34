// Answers as people read them. Here no number is read: those beyond what
// JavaScript can hold stay as they were written.

/** Indents JSON. */
export function indentJSON(json: string): string {
  let out = '';
  let depth = 0;
  const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
  let previous = '';
  for (const [token] of json.matchAll(tokens)) {
    const newline = () => '\n' + '  '.repeat(depth);
    if (token === '}' || token === ']') {
      depth--;
      if (previous !== '{' && previous !== '[') out += newline();
      out += token;
    } else {
      if (previous === '{' || previous === '[' || previous === ',') out += newline();
      out += token === ':' ? ': ' : token;
      if (token === '{' || token === '[') depth++;
    }
    previous = token;
  }
  return out;
}

/** Writes JSON as YAML. */
export function yamlOf(json: string): string {
  const tokens = [...json.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g)].map(
    ([token]) => token,
  );
  let at = 0;
  const out: string[] = [];

  // Writes the value that comes next; head is what stands before it on its line.
  const value = (head: string, indent: string): void => {
    const open = tokens[at++];
    if (open !== '{' && open !== '[') {
      out.push(head + scalar(open ?? ''));
      return;
    }
    const close = open === '{' ? '}' : ']';
    if (tokens[at] === close) {
      at++;
      out.push(head + open + close);
      return;
    }
    // The first entry of a list item stands on the line of its dash.
    const inItem = head.endsWith('- ');
    if (!inItem && head !== '') out.push(head.trimEnd());
    let first = true;
    while (tokens[at] !== close && at < tokens.length) {
      const lead = inItem && first ? head : indent;
      first = false;
      if (open === '{') {
        const key = scalar(tokens[at++] ?? '');
        at++; // the colon
        const nested = tokens[at] === '[' ? indent : indent + '  ';
        value(`${lead}${key}: `, nested);
      } else {
        value(`${lead}- `, indent + '  ');
      }
      if (tokens[at] === ',') at++;
    }
    at++;
  };

  if (tokens.length > 0) value('', '');
  return out.join('\n') + '\n';
}

/** A string without quotes where YAML reads it as the same string; else as in JSON. */
function scalar(token: string): string {
  const plain = /^"([A-Za-z_][A-Za-z0-9_./-]*)"$/.exec(token)?.[1];
  if (plain === undefined) return token;
  return /^(?:y|n|yes|no|on|off|true|false|null)$/i.test(plain) ? token : plain;
}
