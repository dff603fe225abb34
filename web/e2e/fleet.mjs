// Bundles of any size, for what has to stay quick.

/** Nodes with four devices each, half of them of one model, and pods that wait. */
export function fleet(nodes) {
  const out = [
    `apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu.example.com}
spec:
  selectors: [{cel: {expression: 'device.driver == "gpu.example.com"'}}]
`,
  ];
  for (let i = 0; i < nodes; i++) {
    const name = `n${String(i).padStart(4, '0')}`;
    const devices = [0, 1, 2, 3].map(
      (d) => `  - name: gpu-${d}
    attributes: {model: {string: ${i % 2 ? 'B' : 'A'}}, index: {int: ${d}}}
    capacity: {memory: {value: ${i % 2 ? 80 : 40}Gi}}
`,
    );
    out.push(
      `apiVersion: v1
kind: Node
metadata: {name: ${name}, labels: {kubernetes.io/hostname: ${name}}}
`,
      `apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: ${name}}
spec:
  driver: gpu.example.com
  nodeName: ${name}
  pool: {name: ${name}, generation: 1, resourceSliceCount: 1}
  devices:
${devices.join('')}`,
    );
  }
  out.push(pod('fits', 2, 'device.attributes["gpu.example.com"].model == "A"'));
  out.push(pod('waits', 1, 'device.attributes["gpu.example.com"].model == "C"'));
  return out.join('---\n');
}

function pod(name, count, expression) {
  return `apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: ${name}, namespace: default}
spec:
  devices:
    requests:
    - name: gpus
      exactly:
        deviceClassName: gpu.example.com
        count: ${count}
        selectors: [{cel: {expression: '${expression}'}}]
---
apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: default}
spec:
  containers: [{name: c, image: registry.example/c:1, resources: {claims: [{name: gpus}]}}]
  resourceClaims: [{name: gpus, resourceClaimName: ${name}}]
`;
}
