import { describe, expect, it } from 'vitest';
import { accountsOf } from './subjects';

describe('service accounts', () => {
  it('are those of bindings, then those that are written', () => {
    const text = `# who
apiVersion: v1
kind: ServiceAccount
metadata:
  name: driver
  namespace: gpu-system
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: near, namespace: here}
subjects:
- kind: ServiceAccount
  name: local
- {kind: ServiceAccount, name: "far", namespace: there}
- kind: User
  name: somebody
roleRef:
  kind: Role
  name: not-an-account
--- # more
kind: ClusterRoleBinding
roleRef: {kind: ClusterRole, name: x}
subjects:
  - kind: ServiceAccount
    namespace: gpu-system
    name: driver
`;
    expect(accountsOf(text)).toEqual(['here/local', 'there/far', 'gpu-system/driver']);
  });
  it('are none where nobody is named', () => {
    expect(accountsOf('')).toEqual([]);
    expect(accountsOf('kind: Pod\nsubjects:\n- kind: ServiceAccount\n  name: a\n')).toEqual([]);
    expect(accountsOf('kind: ServiceAccount\nmetadata:\n')).toEqual([]);
  });
});
