import type { App } from '../app';
import { duration, megabytes } from '../format';

/** The page about itself. */
export function Footer({ app }: { app: App }) {
  const { coreVersion, loaded, validate, allocate } = app.state;
  const size =
    loaded &&
    (loaded.transferred && loaded.transferred < loaded.bytes
      ? `${megabytes(loaded.transferred)} loaded (${megabytes(loaded.bytes)} unpacked)`
      : `${megabytes(loaded.bytes)} loaded`);
  return (
    <footer class="footer">
      <span>nothing leaves this page</span>
      {coreVersion && <span>core {coreVersion}</span>}
      {allocate && (
        <span class="rules">rules of Kubernetes {allocate.result.kubernetesVersion}</span>
      )}
      {size && <span>{size}</span>}
      {validate && allocate && <span>answered in {duration(validate.ms + allocate.ms)}</span>}
    </footer>
  );
}
