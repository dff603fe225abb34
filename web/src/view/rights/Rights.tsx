import { useMemo, useState } from 'preact/hooks';
import type { StatusAuthorizationResult } from '../../api';
import type { App } from '../../app';
import { namesIn, offered, optionsOf, type Question } from '../../rights/question';
import { accountsOf } from '../../rights/subjects';
import { words } from '../../texts/beyond';
import { useAnswer } from '../ask';
import { Assumptions, Section, Taken } from '../beyond';
import { Missing } from '../Missing';
import { More } from '../More';
import { useParts } from '../parts';
import { Said } from '../Said';
import { Checks } from './Checks';
import { Form } from './Form';
import { Generated } from './Generated';
import '../../styles/node.css';

export type Choice = Partial<Omit<Question, 'drivers'>> & {
  drivers?: readonly string[];
  /** Drivers that are not in the text, as they are typed. */
  others?: string;
};

/** Who may write the status of claims, by which rule, and what would be enough. */
export function Rights({ app }: { app: App }) {
  const w = words();
  const { allocate, validate } = useParts(app, 'allocate', 'validate', 'version', 'gates', 'known');
  const [choice, setChoice] = useState<Choice>({});
  const objects = validate?.result.objects ?? [];
  const accounts = useMemo(
    () => (objects.some(({ kind }) => kinds.has(kind)) ? accountsOf(app.text) : []),
    [validate],
  );
  const offers = useMemo(() => offered(allocate?.result), [allocate]);
  const drivers = choice.drivers ?? (offers.statuses ? [] : offers.drivers.slice(0, 1));
  const question: Question = {
    who: choice.who ?? accounts[0] ?? '',
    node: choice.node ?? '',
    verb: choice.verb ?? 'update',
    writes: choice.writes ?? [],
    drivers: [...new Set([...drivers, ...namesIn(choice.others ?? '')])],
    claim: choice.claim ?? '',
    allocatedNode: choice.allocatedNode ?? '',
    builtIn: choice.builtIn ?? true,
  };
  const claims = objects.filter(({ kind }) => kind === 'ResourceClaim');
  return (
    <div class="rights-view">
      <p>{w.rights.intro}</p>
      <Form
        question={question}
        chosen={drivers}
        others={choice.others ?? ''}
        accounts={accounts}
        offers={offers}
        claims={claims
          .slice(0, 200)
          .map(({ namespace, name }) => `${namespace || 'default'}/${name}`)}
        change={(change) => setChoice({ ...choice, ...change })}
      />
      {question.who === '' ? (
        <p class="calm">{w.rights.choose}</p>
      ) : (
        <Answer app={app} question={question} />
      )}
      <Section name="roles" title={w.rights.generated}>
        {() => <Generated app={app} account={question.who} drivers={question.drivers} />}
      </Section>
    </div>
  );
}

const kinds = new Set(['ServiceAccount', 'RoleBinding', 'ClusterRoleBinding']);

/** The text as one that came to be: what it holds is written now. */
const asChange = (text: string) => JSON.stringify({ before: '', after: text });

function Answer({ app, question }: { app: App; question: Question }) {
  const w = words().rights;
  const asked = useAnswer<StatusAuthorizationResult>(app, 'statusAuthorization', {
    about: asChange,
    options: optionsOf(question),
  });
  const { result } = asked;
  if (!result || asked.refused !== undefined) return <Missing asked={asked} />;
  const { allowed, message, granular, kubernetesVersion, claims, mend, diagnostics } = result;
  // What is wrong with the text itself is among the problems.
  const roles = diagnostics.filter(({ source }) => source === 'bundle');
  return (
    <div data-allowed={allowed}>
      <p class="verdict" role="status">
        <span class={`outcome ${allowed ? 'good' : 'bad'}`}>{allowed ? w.allowed : w.refused}</span>{' '}
        {message}
      </p>
      <p class="muted">{granular ? w.granular(kubernetesVersion) : w.whole(kubernetesVersion)}</p>
      <More
        all={claims}
        step={20}
        what={w.claims}
        item={(claim) => <Checks key={claim.claim} app={app} claim={claim} />}
      />
      {mend && (
        <section data-mend>
          <h2 class="group-title">{w.mend}</h2>
          <p class="muted">{w.mendTried}</p>
          <Taken app={app} text={mend} label={w.mendText} insertable />
        </section>
      )}
      {roles.length > 0 && (
        <section>
          <h2 class="group-title">{w.findings}</h2>
          <ul class="dashes">
            <More
              all={roles}
              step={20}
              what={w.findings}
              item={({ message: text, location, rule }, index) => (
                <li key={index}>
                  <Said app={app} location={location} text={text} /> <code>{rule}</code>
                </li>
              )}
            />
          </ul>
        </section>
      )}
      <Assumptions list={result.assumptions} />
    </div>
  );
}
