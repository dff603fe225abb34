import { describe, expect, it } from 'vitest';
import type { AllocateResult } from '../api';
import { isAccount, namesIn, offered, optionsOf } from './question';

describe('the question', () => {
  const empty = {
    who: 'gpu-system/driver',
    node: '',
    verb: 'update',
    writes: [],
    drivers: [],
    claim: '',
    allocatedNode: '',
    builtIn: true,
  } as const;
  it('leaves out what is not chosen', () => {
    expect(optionsOf(empty)).toEqual({ serviceAccount: 'gpu-system/driver', verb: 'update' });
  });
  it('says what is', () => {
    expect(
      optionsOf({
        who: 'system:kube-scheduler',
        node: 'n1',
        verb: 'patch',
        writes: ['allocation'],
        drivers: ['gpu.example.com'],
        claim: 'default/c',
        allocatedNode: 'n2',
        builtIn: false,
      }),
    ).toEqual({
      user: 'system:kube-scheduler',
      node: 'n1',
      verb: 'patch',
      writes: ['allocation'],
      drivers: ['gpu.example.com'],
      claim: 'default/c',
      allocatedNode: 'n2',
      withoutBuiltIn: true,
    });
  });
  it('tells accounts from users', () => {
    expect(isAccount('a/b')).toBe(true);
    expect(isAccount('system:serviceaccount:a:b')).toBe(false);
    expect(isAccount('jane')).toBe(false);
  });
  it('reads lists of names', () => {
    expect(namesIn(' a.example, b.example,a.example ,')).toEqual(['a.example', 'b.example']);
  });
});

describe('what is offered', () => {
  it('are the drivers and nodes of the text', () => {
    const result = {
      picture: {
        nodes: [{ name: 'n1' }, { name: '' }],
        pools: [{ driver: 'a' }, { driver: 'b' }, { driver: 'a' }],
      },
      claims: [
        {
          outcome: 'AlreadyAllocated',
          claim: { status: { allocation: { devices: { results: [{ driver: 'c' }] } } } },
        },
      ],
    } as unknown as AllocateResult;
    expect(offered(result)).toEqual({ drivers: ['a', 'b', 'c'], nodes: ['n1'], statuses: true });
    expect(offered(result, 1).drivers).toEqual(['a']);
    expect(offered(undefined)).toEqual({ drivers: [], nodes: [], statuses: false });
  });
});
