import type { App } from '../app';
import { duration, megabytes } from '../format';
import { t } from '../texts';
import { LanguageChoice } from './LanguageChoice';
import { useParts } from './parts';

/** The page about itself. */
export function Footer({ app }: { app: App }) {
  const { coreVersion, loaded, validate, allocate } = useParts(
    app,
    'coreVersion',
    'loaded',
    'validate',
    'allocate',
  );
  const packed = loaded?.transferred && loaded.transferred < loaded.bytes;
  return (
    <footer class="footer">
      <span>{t.footer.private}</span>
      {coreVersion && <span>{t.footer.core(coreVersion)}</span>}
      {allocate && (
        <span class="rules">
          {t.footer.rules(allocate.result.kubernetesVersion, allocate.result.allocator)}
        </span>
      )}
      {loaded && (
        <span>
          {t.footer.loaded(megabytes(packed ? loaded.transferred! : loaded.bytes))}
          {packed && <span class="unpacked"> ({t.footer.unpacked(megabytes(loaded.bytes))})</span>}
        </span>
      )}
      {validate && allocate && (
        <span>{t.footer.answered(duration(validate.ms + allocate.ms))}</span>
      )}
      <LanguageChoice app={app} />
    </footer>
  );
}
