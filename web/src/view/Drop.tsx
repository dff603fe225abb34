import { useEffect, useState } from 'preact/hooks';
import type { App } from '../app';
import { dropped } from '../files';
import { t } from '../texts';

/** The whole page takes files; while some are held over it, it says so. */
export function Drop({ app }: { app: App }) {
  const [over, setOver] = useState(false);
  useEffect(() => {
    const holds = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
    const onOver = (event: DragEvent) => {
      if (!holds(event)) return;
      event.preventDefault();
      event.dataTransfer!.dropEffect = 'copy';
      setOver(true);
    };
    const onLeave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const onDrop = (event: DragEvent) => {
      if (!holds(event)) return;
      event.preventDefault();
      event.stopPropagation(); // the editor would insert the file's words
      setOver(false);
      void app.papers.open(() => dropped(event.dataTransfer!));
    };
    addEventListener('dragover', onOver, true);
    addEventListener('dragleave', onLeave, true);
    addEventListener('drop', onDrop, true);
    return () => {
      removeEventListener('dragover', onOver, true);
      removeEventListener('dragleave', onLeave, true);
      removeEventListener('drop', onDrop, true);
    };
  }, [app]);
  if (!over) return null;
  return (
    <div class="drop">
      <p>{t.files.drop}</p>
    </div>
  );
}
