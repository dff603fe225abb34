// What leaves the page at somebody's wish: links and the clipboard.

import type { App } from './app';
import { asCurl, asKubectl, ofCluster } from './commands';
import { decodeShare, encodeShare } from './share';
import { t } from './texts';

/** Beyond this, chats and mail programs begin to cut links. */
const longLink = 8000;

export class Sharing {
  constructor(private readonly app: App) {}

  /** Opens the text of the page's own fragment, if it holds one. */
  async openLink(): Promise<void> {
    try {
      const shared = await decodeShare(location.hash);
      if (shared) this.app.open(shared);
    } catch (error) {
      this.app.notify('bad', t.notices.badLink(why(error)));
    }
  }

  /** Opens what is in the embedded page in a window of its own. */
  async openWhole(): Promise<void> {
    const fragment = await encodeShare(this.app.shared());
    open(`${location.pathname}#${fragment}`, '_blank', 'noopener');
  }

  async share(): Promise<void> {
    try {
      const fragment = await encodeShare(this.app.shared());
      history.replaceState(null, '', '#' + fragment);
    } catch (error) {
      this.app.notify('bad', t.notices.noLink(why(error)));
      return;
    }
    try {
      await navigator.clipboard.writeText(location.href);
    } catch {
      this.app.notify('good', t.notices.inBar);
      return;
    }
    const { length } = location.href;
    this.app.notify(
      'good',
      t.notices.copiedLink + (length > longLink ? t.notices.long(length) : ''),
    );
  }

  /** Copies a text, which may have to be made first. */
  async copy(text: string | Promise<string>): Promise<void> {
    try {
      await navigator.clipboard.writeText(await text);
      this.app.notify('good', t.notices.copied);
    } catch {
      this.app.notify('bad', t.notices.notCopied);
    }
  }

  /** The same question as commands for a terminal, by what they ask. */
  commands(
    operation: string,
    options: object,
  ): Record<'curl' | 'kubectl' | 'cluster', () => string> {
    // As they are when it is copied.
    const all = () => ({ ...this.app.core.options(), ...options });
    return {
      curl: () => asCurl(operation, this.app.text, all()),
      kubectl: () => asKubectl(this.app.text),
      cluster: () => ofCluster(operation, all()),
    };
  }
}

function why(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
