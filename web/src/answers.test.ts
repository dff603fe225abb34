import { describe, expect, it } from 'vitest';
import {
  allocationView,
  announce,
  bySeverity,
  groupNodes,
  letter,
  problems,
  ruleLink,
} from './answers';
import type { AllocateResult, ClaimResult, Diagnostic, NodeResult, PodResult } from './api';

const finding = (severity: Diagnostic['severity'], rule: string): Diagnostic => ({
  severity,
  source: 'api',
  rule,
  url: `/rules.html#api-${rule}`,
  message: 'm',
});
const claim = (namespace: string | undefined, name: string): ClaimResult => ({
  outcome: 'Allocated',
  claim: { metadata: { name, ...(namespace && { namespace }) } },
});
const pod = (name: string, outcome: PodResult['outcome'], claims: string[] = []): PodResult => ({
  namespace: 'default',
  name,
  outcome,
  claims,
  nodes: [],
});
const allocation = (pods: PodResult[], claims: ClaimResult[] = []): AllocateResult => ({
  kubernetesVersion: '1.37',
  allocator: 'incubating',
  pods,
  claims,
  diagnostics: [],
  assumptions: [],
});

describe('ruleLink', () => {
  it('leads to the page beside this one', () => {
    expect(ruleLink(finding('error', 'count'))).toBe('rules.html#api-count');
  });
});

describe('findings', () => {
  const list = [
    finding('info', 'a'),
    finding('error', 'b'),
    finding('info', 'c'),
    finding('warning', 'd'),
  ];
  it('are grouped with the worst first, in their order', () => {
    const groups = bySeverity(list).map(([severity, found]) => [
      severity,
      found.map((f) => f.rule),
    ]);
    expect(groups).toEqual([
      ['error', ['b']],
      ['warning', ['d']],
      ['info', ['a', 'c']],
    ]);
  });
  it('count as problems where they ask for a change', () => {
    expect(problems(list)).toBe(2);
  });
});

describe('allocationView', () => {
  it('gives each claim to its pods, and the rest to nobody', () => {
    const view = allocationView(
      allocation(
        [pod('p', 'Scheduled', ['lab/a']), pod('q', 'Scheduled', ['lab/a', 'default/b'])],
        [claim('lab', 'a'), claim(undefined, 'b'), claim('default', 'alone')],
      ),
    );
    expect(view.pods.map(({ claims }) => claims.map(({ name, mark }) => [name, mark]))).toEqual([
      [['lab/a', 0]],
      [
        ['lab/a', 0],
        ['default/b', 1],
      ],
    ]);
    expect(view.others.map(({ name, mark }) => [name, mark])).toEqual([['default/alone', 2]]);
  });
  it('has a letter for every claim', () => {
    expect([0, 25, 26, 53].map(letter)).toEqual(['A', 'Z', 'A2', 'B3']);
  });
});

describe('groupNodes', () => {
  it('puts nodes alike together', () => {
    const no = (name: string, message: string, line: number): NodeResult => ({
      name,
      fits: false,
      reasons: [
        {
          code: 'x',
          message,
          location: { document: 0, line, column: 1, endLine: line, endColumn: 9 },
        },
      ],
    });
    const groups = groupNodes([
      no('n1', 'full', 3),
      { name: 'n2', fits: true },
      no('n3', 'full', 13),
      no('n4', 'tainted', 23),
    ]);
    expect(groups.map(({ names }) => names)).toEqual([['n1', 'n3'], ['n2'], ['n4']]);
  });
});

describe('announce', () => {
  it('says it in a sentence', () => {
    expect(announce([], undefined)).toBe('no problems');
    expect(announce([finding('error', 'a')], allocation([]))).toBe('1 problem');
    expect(
      announce(
        [],
        allocation([pod('two', 'Unschedulable'), { ...pod('one', 'Scheduled'), node: 'worker-1' }]),
      ),
    ).toBe('no problems, 1 pod scheduled, two stays pending');
    expect(announce([], allocation([{ ...pod('one', 'Scheduled'), node: 'n' }]))).toBe(
      'no problems, 1 pod scheduled, one scheduled on n',
    );
  });
  it('stays short', () => {
    const many = Array.from({ length: 50 }, (_, i) => pod(`p${i}`, 'Unschedulable'));
    expect(announce([], allocation(many)).split(', ')).toHaveLength(6);
  });
});
