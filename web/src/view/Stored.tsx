import { useState } from 'preact/hooks';
import type { ConvertedObject, ConvertResult } from '../api';
import type { App } from '../app';
import { t } from '../texts';
import { Diff } from './Diff';
import { Copy } from './icons';
import { useAnswer } from './ask';
import { Missing } from './Missing';

const versions = ['v1', 'v1beta2', 'v1beta1', 'v1alpha3'];
const mostObjects = 50;

/** The objects as the API server keeps them: with defaults, without what it drops. */
export function Stored({ app }: { app: App }) {
  const [to, setTo] = useState('');
  const apiVersion = to && `resource.k8s.io/${to}`;
  const asked = useAnswer<ConvertResult>(app, 'convert', {
    options: apiVersion ? { apiVersion } : {},
  });
  const { result } = asked;
  if (!result) return <Missing asked={asked} />;
  const given = result.objects.filter((object) => object.kind in kindsOfDRA);
  return (
    <div class="stored">
      <p class="stored-tools">
        <label>
          {t.stored.version}{' '}
          <select value={to} onChange={(event) => setTo(event.currentTarget.value)}>
            <option value="">{t.stored.asWritten}</option>
            {versions.map((version) => (
              <option key={version} value={version}>
                {version}
              </option>
            ))}
          </select>
        </label>
      </p>
      {given.length === 0 && <p class="calm">{t.stored.none}</p>}
      {given.slice(0, mostObjects).map((object) => (
        <StoredObject key={object.index} app={app} object={object} />
      ))}
      {given.length > mostObjects && (
        <p class="calm">{t.stored.rest(given.length - mostObjects)}</p>
      )}
    </div>
  );
}

const kindsOfDRA: Record<string, true> = {
  DeviceClass: true,
  DeviceTaintRule: true,
  ResourceClaim: true,
  ResourceClaimTemplate: true,
  ResourcePoolStatusRequest: true,
  ResourceSlice: true,
};

function StoredObject({ app, object }: { app: App; object: ConvertedObject }) {
  const { kind, name, namespace, to, text = '', written = '', changes } = object;
  const title = `${kind} ${namespace ? `${namespace}/` : ''}${name}`;
  const gone = changes.filter(({ what }) => what !== 'default');
  const defaults = changes.length - gone.length;
  return (
    <section class="stored-object" aria-label={title} data-stored={name}>
      <h2 class="group-title">
        {title}
        {to && <span class="muted"> {t.stored.in(to.replace('resource.k8s.io/', ''))}</span>}
      </h2>
      {object.message && <p>{object.message}.</p>}
      {to && !object.valid && <p>{t.stored.refused}</p>}
      {gone.length > 0 && (
        <ul class="stored-changes">
          {gone.map(({ what, field, message, location }) => (
            <li key={what + field}>
              <strong>{t.stored.words[what]}</strong>{' '}
              {location ? (
                <button type="button" class="plain" onClick={() => app.goTo(location)}>
                  {message}
                </button>
              ) : (
                message
              )}
            </li>
          ))}
        </ul>
      )}
      {to && (
        <>
          <p class="muted">
            {defaults > 0 ? t.stored.defaults(defaults) : ''}{' '}
            {written === text ? t.stored.same : ''}
          </p>
          <Diff before={written} after={text} label={t.stored.both(title)} />
          <button type="button" class="button small" onClick={() => void app.sharing.copy(text)}>
            <Copy />
            {t.copy.button}
          </button>
        </>
      )}
    </section>
  );
}
