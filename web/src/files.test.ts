import { describe, expect, it } from 'vitest';
import { join, limits } from './files';

const found = (path: string, text: string | Uint8Array<ArrayBuffer>) => ({
  path,
  file: new File([text], path.split('/').at(-1)!),
});

describe('files', () => {
  it('keep their name and words when there is one', async () => {
    expect(await join([found('a.txt', 'kind: Pod')])).toEqual({
      name: 'a.txt',
      text: 'kind: Pod',
      files: 1,
    });
  });
  it('become one bundle, in the order of their paths, without what is no YAML', async () => {
    const opened = await join([
      found('lab/pods/b.yml', 'kind: Pod'),
      found('lab/README.md', '# no'),
      found('lab/a.json', '{"kind":"Node"}\n\n'),
    ]);
    expect(opened).toEqual({
      name: 'lab.yaml',
      text: '# lab/a.json\n{"kind":"Node"}\n---\n# lab/pods/b.yml\nkind: Pod\n',
      files: 2,
    });
    expect((await join([found('a.yaml', ''), found('b.yaml', '')])).name).toBe('bundle.yaml');
  });
  it('are refused in words', async () => {
    await expect(join([])).rejects.toThrow(/no YAML or JSON/);
    await expect(join([found('a.md', ''), found('b.md', '')])).rejects.toThrow(/no YAML or JSON/);
    await expect(join([found('a.yaml', new Uint8Array([0xff, 0xfe, 0x00]))])).rejects.toThrow(
      /a.yaml could not be read/,
    );
    const many = Array.from({ length: limits.files + 1 }, (_, n) => found(`${n}.yaml`, ''));
    await expect(join(many)).rejects.toThrow(/2000 files/);
    const large = { path: 'a.yaml', file: { size: 17 << 20 } as File };
    await expect(join([large])).rejects.toThrow(/16 MiB/);
  });
});
