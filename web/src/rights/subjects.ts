// Who might write: the service accounts that a text names. It is read by its
// lines, so that a text that is being written has some too.

/** So many are offered; more can be typed. */
const most = 200;

/** The service accounts of a text as namespace/name, those of bindings first. */
export function accountsOf(text: string): string[] {
  const bound: string[] = [];
  const written: string[] = [];
  for (const document of text.split(/^---.*$/m)) {
    const kind = /^kind:\s*["']?(\w+)/m.exec(document)?.[1] ?? '';
    if (kind === 'RoleBinding' || kind === 'ClusterRoleBinding')
      bound.push(...subjectsIn(document));
    else if (kind === 'ServiceAccount') {
      const { namespace, name } = metadataOf(document);
      if (name) written.push(`${namespace || 'default'}/${name}`);
    }
    if (bound.length + written.length > most) break;
  }
  return [...new Set([...bound, ...written])].slice(0, most);
}

/** The accounts under subjects, item by item. */
function subjectsIn(document: string): string[] {
  const own = metadataOf(document).namespace;
  const found: string[] = [];
  let item: Partial<Record<string, string>> | undefined;
  let inside = false;
  const close = () => {
    if (item?.['kind'] === 'ServiceAccount' && item['name']) {
      found.push(`${item['namespace'] || own || 'default'}/${item['name']}`);
    }
    item = undefined;
  };
  for (const line of document.split('\n')) {
    if (/^\S/.test(line) && !/^[-#]/.test(line)) {
      close();
      inside = /^subjects:/.test(line);
    }
    if (!inside) continue;
    if (/^\s*-\s/.test(line)) {
      close();
      item = {};
    }
    if (item) Object.assign(item, fieldsIn(line));
  }
  close();
  return found;
}

/** Fields of a line, also of one in braces. */
function fieldsIn(line: string): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [, key, value] of line.matchAll(/\b(kind|name|namespace):\s*["']?([\w.-]+)/g)) {
    fields[key!] = value!;
  }
  return fields;
}

function metadataOf(document: string): { name: string; namespace: string } {
  const at = /^metadata:(.*)((?:\n(?:[ \t].*)?)*)/m.exec(document);
  const fields = fieldsIn(`${at?.[1] ?? ''} ${at?.[2]?.replaceAll('\n', ' ') ?? ''}`);
  return { name: fields['name'] ?? '', namespace: fields['namespace'] ?? '' };
}
