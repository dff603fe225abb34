import { expect, it } from 'vitest';
import { isOld } from './old';

it('old objects are those that no version reads any more', () => {
  const old = (version: string, kind: string) =>
    isOld({ apiVersion: `resource.k8s.io/${version}`, kind });
  expect(old('v1alpha1', 'PodScheduling')).toBe(true);
  expect(old('v1alpha2', 'ResourceClass')).toBe(true);
  expect(old('v1alpha3', 'PodSchedulingContext')).toBe(true);
  expect(old('v1alpha3', 'DeviceTaintRule')).toBe(false);
  expect(old('v1', 'ResourceClaim')).toBe(false);
  expect(isOld({ apiVersion: 'v1alpha3', kind: 'ResourceClaim' })).toBe(false);
});
