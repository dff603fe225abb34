import { useState } from 'preact/hooks';
import type { DeviceMetadataFile, DeviceMetadataResult, PodOperations } from '../../api';
import type { App } from '../../app';
import { words } from '../../texts/beyond';
import { useAnswer } from '../ask';
import { Taken } from '../beyond';
import { Missing } from '../Missing';
import { More } from '../More';
import { Said } from '../Said';

/** The files through which the containers of a pod learn about their devices. */
export function Files({ app, pod }: { app: App; pod: PodOperations }) {
  const w = words().node.files;
  const asked = useAnswer<DeviceMetadataResult>(app, 'deviceMetadata');
  const { result } = asked;
  if (!result) return <Missing asked={asked} />;
  const found = result.pods.find(
    ({ namespace, name }) => namespace === pod.namespace && name === pod.name,
  );
  const containers = found?.containers ?? [];
  const any = containers.some(({ sees, misses }) => sees.length + misses.length > 0);
  const own = `${pod.namespace}/`;
  const notes = result.notes.filter(({ claim = own }) => claim.startsWith(own));
  return (
    <>
      {!any && <p class="calm">{w.none}</p>}
      {found?.waits && <p>{w.waits(found.waits)}</p>}
      {any &&
        containers.map(({ name, init, sees, misses }) => (
          <section key={name} class="container" aria-label={name}>
            <h3>
              <span class="kind">{init ? w.init : w.container}</span>{' '}
              <span class="name">{name}</span>
            </h3>
            <More
              all={sees}
              step={20}
              what={w.title}
              item={({ file, path, why }) => (
                <Seen key={path} app={app} path={path} why={why} file={result.files[file]!} />
              )}
            />
            {misses.slice(0, 20).map(({ file, why }) => (
              <p key={file} class="misses">
                <span class="outcome held">{w.misses}</span>{' '}
                <code>{result.files[file]!.containerPath}</code> {why}
              </p>
            ))}
          </section>
        ))}
      {notes.length > 0 && (
        <>
          <h3>{w.notes}</h3>
          <ul class="dashes">
            {notes.map(({ code, message, location }) => (
              <li key={code + message}>
                <Said app={app} location={location} text={message} />
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function Seen({
  app,
  path,
  why,
  file,
}: {
  app: App;
  path: string;
  why: string;
  file: DeviceMetadataFile;
}) {
  const w = words().node.files;
  const [open, setOpen] = useState(false);
  return (
    <details
      class="file"
      data-file={path}
      open={open}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <code>{path}</code>
      </summary>
      <p class="meta">
        <span>{w.devices(file.devices.length)}</span>
        <span>{why}</span>
      </p>
      <p class="meta">
        <span>{w.host}</span> <code>{file.hostPath}</code>
      </p>
      {open && <Taken app={app} text={file.content} label={w.content(path)} />}
    </details>
  );
}
