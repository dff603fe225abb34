// The views beyond the scheduler: what a node does, who may write, and what was
// negotiated before Kubernetes 1.32.

import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { check } from './axe.mjs';
import { harness } from './harness.mjs';

const { visit } = harness();

const phone = { viewport: { width: 360, height: 740 }, colorScheme: 'dark' };

/** Opens a part of a view by the keyboard. */
async function unfold(page, name) {
  const part = page.locator(`[data-part="${name}"]`);
  await part.locator('> summary').focus();
  await page.keyboard.press('Enter');
  await part.locator('.part-body').waitFor();
  return part;
}

/** Presses Tab until the focus is on what the selector finds. */
async function reach(page, selector) {
  for (let i = 0; i < 60; i++) {
    if (await page.locator(`${selector}:focus`).count()) return;
    await page.keyboard.press('Tab');
  }
  assert.fail(`${selector} cannot be reached`);
}

describe('the view Node', () => {
  visit('draws what is called, what is skipped, and where it stops', {}, async (visit) => {
    const { page } = visit;
    await visit.answered();
    await visit.example('Skipped node operations');
    await visit.tab('Node');
    const pod = page.locator('[data-node-pod="default/tenant"][data-state=Starts]');
    await pod.waitFor();
    assert.equal(await pod.locator('[data-step=skipped]').count(), 2);
    assert.equal(await pod.locator('.strip').count(), await pod.locator('.step').count());
    // The picture is for eyes only: the words say all of it.
    assert.match(
      await pod.locator('[data-step=skipped]').first().innerText(),
      /NodePrepareResources of control-plane\.example\.com is not called .* skipped/,
    );
    await check(page, 'Node, skipped');

    await visit.example('One device');
    await visit.tab('Node');
    await page.locator('[data-node-pod="default/train"][data-state=Starts]').waitFor();
    assert.equal(await page.locator('[data-step=skipped]').count(), 0);
    // Without the driver's plugin the pod waits, and the picture ends there.
    await page.getByRole('tab', { name: 'Node' }).focus();
    await reach(page, '.plugins input');
    await page.keyboard.press('Space');
    await page.locator('[data-node-pod="default/train"][data-state=Waits]').waitFor();
    await page.locator('[data-step=stops]').first().waitFor();
    assert.match(await page.locator('.reads').first().innerText(), /Failed to prepare/);
    await check(page, 'Node, waiting');
    const copied = await visit.copied(() =>
      page.getByRole('button', { name: 'Copy as curl' }).click(),
    );
    assert.match(copied, /node-operations\?.*absentDrivers=gpu\.example\.com/);
  });

  visit('leads from a step to the line, and back by Escape', {}, async (visit) => {
    const { page } = visit;
    await visit.answered();
    await visit.example('Pre-scheduled pod');
    await visit.tab('Node');
    await page.locator('[data-node-pod="default/bypassed"][data-state=Waits]').waitFor();
    await page.locator('.chip[data-pod=steered]').click();
    await page.locator('[data-node-pod="default/steered"]').waitFor();
    await page.locator('.chip[data-pod=bypassed]').click();
    await page.locator('[data-step=never] button').first().click();
    await page.locator('.cm-activeLine', { hasText: 'nodeName:' }).waitFor();
  });

  visit('shows the files of each container, and checks one', {}, async (visit) => {
    const { page } = visit;
    await visit.answered();
    await visit.example('Device metadata');
    await page.locator('[data-node-pod="default/train"]').waitFor();
    const files = await unfold(page, 'files');
    const monitor = files.getByRole('region', { name: 'monitor' });
    await monitor.locator('.file').first().waitFor();
    assert.equal(await monitor.locator('.file').count(), 1);
    assert.equal(await monitor.locator('.misses').count(), 1);
    await page.getByRole('button', { name: 'Change it', exact: true }).click();
    await monitor.locator('.file').nth(1).waitFor();
    const file = files.locator('[data-file$="gpu.example.com-metadata.json"]').first();
    await file.locator('> summary').click();
    const content = await visit.copied(() =>
      file.getByRole('button', { name: /^Copy content of/ }).click(),
    );
    assert.match(content, /LATEST-GPU-MODEL/);

    const part = await unfold(page, 'check');
    await part.getByLabel('The file', { exact: true }).fill(content);
    await part.locator('[data-valid=true]').waitFor();
    // What has changed needs a generation that has risen.
    const before = content.replaceAll('LATEST', 'OLDER');
    await part.getByLabel('The file before it, if there was one').fill(before);
    await part.locator('[data-valid=false]').waitFor();
    await part.getByLabel('The file', { exact: true }).fill('{');
    await part.locator('.findings li').first().waitFor();
    await check(page, 'files');
  });

  visit('tells what monitoring hears, and takes a device out of service', {}, async (visit) => {
    const { page } = visit;
    await visit.answered();
    await visit.example('Device health');
    await page.locator('[data-node-pod="default/train"]').waitFor();
    const monitoring = await unfold(page, 'monitoring');
    await monitoring.locator('[data-monitored=worker-1] li', { hasText: 'gpu-1' }).waitFor();
    const health = await unfold(page, 'health');
    await health.locator('[data-device=gpu-1][data-device-health=Unhealthy]').waitFor();
    await check(page, 'health');
    const before = await visit.text();
    await health.getByRole('button', { name: 'Report gpu-0 unhealthy' }).click();
    await health.locator('[data-device=gpu-0][data-device-health=Unhealthy]').waitFor();
    await visit.expectText(/kind: DeviceHealth[^]*name: gpu-0-unhealthy/);
    await health.getByRole('button', { name: 'Take the report about gpu-0 back' }).click();
    await health.locator('[data-device=gpu-0][data-device-health=Healthy]').waitFor();
    await visit.expectText(before);
    const rule = health.locator('[data-taint-rule$="/gpu-1"]');
    await rule.getByRole('button', { name: 'Insert into the text' }).click();
    await visit.notice('Inserted');
    await visit.expectText(/\n---\n.*\nkind: DeviceTaintRule\n/);
  });
});

describe('the view Rights', () => {
  visit('says what is lacking, gives it, and names the rule with its line', {}, async (visit) => {
    const { page } = visit;
    await visit.answered();
    await visit.example('Status rights');
    await page.locator('[data-allowed=false] [data-check="status.devices"]').waitFor();
    await page.locator('[data-check=request][data-allowed=true]').waitFor();
    await check(page, 'Rights');
    await page.getByRole('tab', { name: 'Rights' }).focus();
    await reach(page, '[data-mend] .taken-tools .button');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('[data-check="status.devices"][data-allowed=true]').waitFor();
    await page.locator('[data-check="status.devices"] .meta button').first().click();
    await page.locator('.cm-activeLine', { hasText: 'apiGroups' }).waitFor();
  });

  visit('writes roles with the fewest rights, and says why it cannot', {}, async (visit) => {
    const { page } = visit;
    await visit.answered();
    await visit.tab('Rights');
    await page.getByText('Choose a service account').waitFor();
    await page.getByLabel('Service account').fill('gpu-system/Driver!');
    await page.locator('.refusal', { hasText: 'must be namespace/name' }).waitFor();
    await page.getByLabel('Service account').fill('gpu-system/driver');
    await page.locator('[data-allowed=false] [data-check=request]').waitFor();
    const roles = await unfold(page, 'roles');
    await roles.locator('[data-tries]').waitFor();
    const copied = await visit.copied(() =>
      roles.getByRole('button', { name: 'Copy Role and binding as YAML' }).click(),
    );
    assert.match(copied, /kind: ClusterRole\n[^]*associated-node:/);
    await roles.getByLabel('For').selectOption('scheduler');
    await roles.locator('pre', { hasText: 'resourceclaims/binding' }).waitFor();
    await check(page, 'roles');
  });
});

describe('the view Classic', () => {
  visit('is there for old texts only, and plays by the keyboard', {}, async (visit) => {
    const { page } = visit;
    await visit.answered();
    assert.equal(await page.getByRole('tab', { name: 'Classic' }).count(), 0);
    await visit.example('Classic negotiation');
    await page.locator('[data-pod=train][data-outcome=Scheduled]').waitFor();
    const step = (n) => page.locator(`.player-step[data-step="${n}"]`);
    await step(1).waitFor();
    await page.getByRole('button', { name: 'Next', exact: true }).focus();
    await page.keyboard.press('ArrowRight');
    await step(2).waitFor();
    await page.keyboard.press('Enter');
    await step(3).waitFor();
    await page.keyboard.press('ArrowLeft');
    await step(2).waitFor();
    await page.keyboard.press('Home');
    await step(1).waitFor();
    await page.locator('.player pre', { hasText: 'PodSchedulingContext' }).waitFor();
    const converted = await unfold(page, 'converted');
    await converted.locator('[data-converted=training] pre', { hasText: 'v1' }).waitFor();
    await check(page, 'Classic');
    await page.getByRole('button', { name: 'Change it', exact: true }).click();
    await page.locator('[data-pod=train][data-outcome=Stuck]').waitFor();
    await visit.example('One device');
    await page.locator('#panel-allocation').waitFor();
    await page.getByRole('tab', { name: 'Classic' }).waitFor({ state: 'detached' });
  });
});

describe('on a phone', () => {
  visit('all of them fit, in both languages', phone, async (visit) => {
    const { page } = visit;
    await visit.answered();
    for (const [title, tab, seen] of [
      ['Device health', 'Node', '[data-node-pod="default/train"]'],
      ['Status rights', 'Rights', '[data-mend]'],
      ['Classic negotiation', 'Classic', '.player'],
    ]) {
      await visit.example(title);
      await page.getByRole('tab', { name: tab }).click();
      await page.locator(seen).waitFor();
      if (tab === 'Node') {
        for (const part of ['files', 'monitoring', 'health', 'check']) await unfold(page, part);
        await page.locator('[data-taint-rule]').waitFor();
      }
      await check(page, `${tab} on a phone`);
    }
    await page.getByRole('combobox', { name: 'Language' }).selectOption('zh');
    await page.getByRole('button', { name: '前进' }).click();
    await page.locator('.player-step', { hasText: '第 2 步' }).waitFor();
    await check(page, 'Classic in Chinese');
  });
});
