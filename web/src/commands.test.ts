import { describe, expect, it } from 'vitest';
import { asCurl, asKubectl, ofCluster } from './commands';

describe('commands', () => {
  it('carry the text, whatever is in it', () => {
    expect(asKubectl('a: 1')).toBe(
      "kubectl apply --dry-run=server -f - <<'BUNDLE'\na: 1\nBUNDLE\n",
    );
    expect(asKubectl('BUNDLE\n')).toMatch(/<<'BUNDLE_'\nBUNDLE\nBUNDLE_\n$/);
  });

  it('carry the options', () => {
    const options = { kubernetesVersion: '1.36', featureGates: 'A=true,B=false' };
    expect(asCurl('allocate', 'a: 1\n', options)).toMatch(
      /'http:[^']*\/v1\/allocate\?kubernetesVersion=1\.36&featureGates=A%3Dtrue%2CB%3Dfalse' <</,
    );
    expect(ofCluster('validate', {})).toMatch(/^kubectl get nodes,[\s\S]*\/v1\/validate'\n$/);
  });
});
