import { useState } from 'preact/hooks';
import type { ConvertedObject, ConvertResult } from '../api';
import type { App } from '../app';
import { count } from '../format';
import { Diff } from './Diff';
import { Copy } from './icons';
import { useInquiry } from './inquire';

const versions = ['v1', 'v1beta2', 'v1beta1', 'v1alpha3'];
const mostObjects = 50;

/** The objects as the API server keeps them: with defaults, without what it drops. */
export function Stored({ app }: { app: App }) {
  const [to, setTo] = useState('');
  const apiVersion = to && `resource.k8s.io/${to}`;
  const result = useInquiry<ConvertResult>(app, 'convert', apiVersion ? { apiVersion } : {});
  if (!result) return null;
  const given = result.objects.filter((object) => object.kind in kindsOfDRA);
  return (
    <div class="stored">
      <p class="stored-tools">
        <label>
          API version{' '}
          <select value={to} onChange={(event) => setTo(event.currentTarget.value)}>
            <option value="">as written</option>
            {versions.map((version) => (
              <option key={version} value={version}>
                {version}
              </option>
            ))}
          </select>
        </label>
      </p>
      {given.length === 0 && <p class="calm">There is no object of resource.k8s.io in the text.</p>}
      {given.slice(0, mostObjects).map((object) => (
        <StoredObject key={object.index} app={app} object={object} />
      ))}
      {given.length > mostObjects && (
        <p class="calm">And {given.length - mostObjects} more: POST /v1/convert gives all.</p>
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

const words: Record<ConvertedObject['changes'][number]['what'], string> = {
  default: 'default',
  dropped: 'dropped',
  unread: 'not read',
  lost: 'lost',
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
        {to && <span class="muted"> in {to.replace('resource.k8s.io/', '')}</span>}
      </h2>
      {object.message && <p>{object.message}.</p>}
      {to && !object.valid && <p>It is not stored as it is: see the problems.</p>}
      {gone.length > 0 && (
        <ul class="stored-changes">
          {gone.map(({ what, field, message, location }) => (
            <li key={what + field}>
              <strong>{words[what]}</strong>{' '}
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
            {defaults > 0 ? `${count(defaults, 'default')} filled in. ` : ''}
            {written === text ? 'It is stored as it is written.' : ''}
          </p>
          <Diff before={written} after={text} label={`${title}, as written and as stored`} />
          <button type="button" class="button small" onClick={() => void app.copy(text)}>
            <Copy />
            Copy
          </button>
        </>
      )}
    </section>
  );
}
