import type { App } from '../app';
import { duration, megabytes } from '../format';

/** The page about itself. */
export function Footer({ app }: { app: App }) {
  const { coreVersion, loaded, validate, allocate } = app.state;
  const packed = loaded?.transferred && loaded.transferred < loaded.bytes;
  return (
    <footer class="footer">
      <span>nothing leaves this page</span>
      {coreVersion && <span>core {coreVersion}</span>}
      {allocate && (
        <span class="rules">
          rules of Kubernetes {allocate.result.kubernetesVersion}, {allocate.result.allocator}{' '}
          allocator
        </span>
      )}
      {loaded && (
        <span>
          {megabytes(packed ? loaded.transferred! : loaded.bytes)} loaded
          {packed && <span class="unpacked"> ({megabytes(loaded.bytes)} unpacked)</span>}
        </span>
      )}
      {validate && allocate && <span>answered in {duration(validate.ms + allocate.ms)}</span>}
    </footer>
  );
}
