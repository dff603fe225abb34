import { describe, expect, it } from 'vitest';
import { added, append, remove, report, type Place } from './documents';

const device = { driver: 'gpu.example.com', pool: '1e3', device: 'gpu-0' };

const change = (text: string, { from, to, insert }: Place) =>
  text.slice(0, from) + insert + text.slice(to);

describe('a report', () => {
  it('quotes what YAML would take for something else', () => {
    const text = report(device, 'on', 'Unhealthy');
    expect(text).toContain('name: gpu-0-unhealthy\n');
    expect(text).toContain('driver: gpu.example.com\n  nodeName: "on"\n');
    expect(text).toContain('pool: "1e3"\n    device: gpu-0\n    health: Unhealthy\n');
  });
  it('is found again', () => {
    const text = change('kind: Pod', append('kind: Pod', report(device, 'n', 'Healthy')));
    expect(added(text, device, 'n')).toBe(report(device, 'n', 'Healthy'));
    expect(added(text, device, 'other')).toBeUndefined();
  });
});

describe('a document', () => {
  it.each(['', 'kind: Pod', 'kind: Pod\n', '# only words\n', 'kind: Pod\n---\n'])(
    'is added to and taken out of %j',
    (text) => {
      const document = report(device, 'n', 'Unhealthy');
      const more = change(text, append(text, document));
      expect(more.startsWith(text)).toBe(true);
      expect(more.endsWith(document)).toBe(true);
      const back = change(more, remove(more, document)!);
      expect(back.trimEnd()).toBe(text.trimEnd());
      expect(back).not.toContain('DeviceHealth');
    },
  );
  it('leaves what comes behind it alone', () => {
    expect(
      change('a: 1\n---\nb: 2\n---\nc: 3\n', remove('a: 1\n---\nb: 2\n---\nc: 3\n', 'b: 2\n')!),
    ).toBe('a: 1\n---\nc: 3\n');
    expect(change('b: 2\n---\nc: 3\n', remove('b: 2\n---\nc: 3\n', 'b: 2\n')!)).toBe('c: 3\n');
    expect(remove('a: 1\n', 'b: 2\n')).toBeUndefined();
  });
});
