import { describe, expect, it } from 'vitest';
import type { ClaimOperations, NodeStep, PodOperations } from '../api';
import { draw, driversOf, spacing } from './lanes';

const step = (
  actor: NodeStep['actor'],
  outcome: NodeStep['outcome'],
  message: string,
): NodeStep => ({
  actor,
  outcome,
  message,
});

const claim = (
  name: string,
  ...drivers: [string, 'Called' | 'Skipped' | 'Waits', 'Called' | 'Skipped'][]
): ClaimOperations => ({
  entry: name,
  claim: `default/${name}`,
  message: '',
  drivers: drivers.map(([driver, prepare, unprepare]) => ({
    driver,
    prepare,
    unprepare,
    message: '',
    devices: [],
  })),
});

const pod = (steps: NodeStep[], claims: ClaimOperations[]): PodOperations => ({
  namespace: 'default',
  name: 'p',
  outcome: 'Scheduled',
  state: 'Starts',
  message: '',
  steps,
  claims,
});

const told = (drawn: ReturnType<typeof draw>) =>
  drawn.rows.map(
    ({ lane, from, look, skipped }) =>
      `${from === undefined ? '' : `${drawn.lanes[from]!.name} → `}${drawn.lanes[lane]!.name} ${look}${
        skipped ? ` ${skipped.operation} ${skipped.claims.join()}` : ''
      }`,
  );

describe('lanes', () => {
  it('are for those who have something to do', () => {
    expect(draw(pod([], [])).lanes.map(({ name }) => name)).toEqual(['kubelet']);
    expect(
      driversOf([claim('a', ['x', 'Called', 'Called']), claim('b', ['x', 'Called', 'Called'])]),
    ).toEqual(['x']);
  });
  it('show calls as coming from the kubelet, and those that are skipped', () => {
    const drawn = draw(
      pod(
        [
          step('scheduler', 'Done', 'allocates'),
          step('kubelet', 'Done', 'finds every claim'),
          step('driver', 'Done', 'gpu.example.com prepares default/a when …'),
          step('kubelet', 'Done', 'starts the containers'),
          step('driver', 'Next', 'gpu.example.com undoes that for default/a'),
          step('resourceclaim controller', 'Next', 'takes the pod out'),
        ],
        [claim('a', ['gpu.example.com', 'Called', 'Called'], ['gpu', 'Skipped', 'Skipped'])],
      ),
    );
    expect(told(drawn)).toEqual([
      'scheduler done',
      'kubelet done',
      'kubelet → gpu.example.com done',
      'kubelet → gpu skipped NodePrepareResources default/a',
      'kubelet done',
      'kubelet → gpu.example.com next',
      'kubelet → gpu skipped NodeUnprepareResources default/a',
      'resourceclaim controller next',
    ]);
  });
  it('end where the pod waits, and skip nothing there', () => {
    const drawn = draw(
      pod(
        [step('scheduler', 'Done', 'binds'), step('kubelet', 'Stops', 'tries again')],
        [claim('a', ['x', 'Waits', 'Called'], ['y', 'Skipped', 'Skipped'])],
      ),
    );
    expect(told(drawn)).toEqual(['scheduler done', 'kubelet stops']);
  });
  it('have room on a phone, however many they are', () => {
    expect(spacing(0)).toBe(24);
    expect(spacing(8)).toBe(18);
    expect(spacing(100)).toBe(12);
  });
});
