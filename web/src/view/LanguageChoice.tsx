import type { App } from '../app';
import { language, languages, t, type Language } from '../texts';

/** In which language the page speaks; each is named in its own. */
export function LanguageChoice({ app }: { app: App }) {
  return (
    <select
      class="language"
      aria-label={t.language}
      value={language}
      onChange={(event) => app.speak(event.currentTarget.value as Language)}
    >
      {languages.map(([code, name]) => (
        <option key={code} value={code} lang={code}>
          {name}
        </option>
      ))}
    </select>
  );
}
