import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeWith } from '../support/tools.ts';

const RULES = fileURLToPath(new URL('../../deploy/chart/alerts.yml', import.meta.url));

/** A counter that grows by so much a minute, for two hours, from a start. */
const grows = (series: string, perMinute: number) => ({ series, values: `0+${perMinute}x120` });
const requests = (route: string, status: string, perMinute: number) =>
  grows(
    `dashboard_http_request_duration_seconds_count{job="dashboard-admin",deployment="customer",route="${route}",status="${status}"}`,
    perMinute,
  );
const upstream = (outcome: string, perMinute: number) =>
  grows(
    `dashboard_upstream_request_duration_seconds_count{job="dashboard-admin",deployment="customer",upstream="oauth",outcome="${outcome}"}`,
    perMinute,
  );
const signIns = (outcome: string, perMinute: number) =>
  grows(`dashboard_sign_ins_total{job="dashboard-admin",deployment="customer",outcome="${outcome}"}`, perMinute);
const always = (series: string, value: number) => ({ series, values: `${value}+0x120` });
const UP = always('up{job="dashboard-admin",instance="a"}', 1);

/** What fires after an hour of this traffic. */
const HOURS: Record<string, { series: object[]; fires: string[] }> = {
  'a good hour': {
    series: [UP, requests('/api/settings', '200', 60), upstream('2xx', 60), signIns('ok', 1)],
    fires: [],
  },
  'a bad hour': {
    series: [
      always('up{job="dashboard-admin",instance="a"}', 0),
      requests('/api/settings', '200', 60),
      requests('/api/settings', '503', 6),
      upstream('2xx', 30),
      upstream('timeout', 30),
      signIns('ok', 1),
      signIns('provider_unreachable', 3),
      always('dashboard_audit_queue_failing{instance="a"}', 1),
      always('dashboard_change_poll_age_seconds{instance="a"}', 31),
    ],
    fires: [
      'DashboardAuditRecordsAtRisk',
      'DashboardDown',
      'DashboardErrors',
      'DashboardRevocationsStale',
      'DashboardSignInsFailing',
      'DashboardUpstreamFailing',
    ],
  },
  'a quiet hour with probes that fail and a single error': {
    series: [UP, requests('/api/health', '503', 60), requests('/api/settings', '500', 1), upstream('timeout', 1)],
    fires: [],
  },
  'refused operators, which are no outage': { series: [UP, signIns('no_role', 5)], fires: [] },
  'an hour without any target': { series: [], fires: ['DashboardAbsent'] },
};

describeWith('promtool', 'the alert rules', () => {
  it('fire in a bad hour, and only then', () => {
    const names = [...readFileSync(RULES, 'utf8').matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);
    const folder = mkdtempSync(join(tmpdir(), 'alerts-'));
    const test = (fires: string[], series: object[], name: string) => ({
      name,
      interval: '1m',
      input_series: series,
      promql_expr_test: names.map((alertname) => ({
        expr: `count by (alertname) (ALERTS{alertname="${alertname}",alertstate="firing"})`,
        eval_time: '1h',
        exp_samples: fires.includes(alertname) ? [{ labels: `{alertname="${alertname}"}`, value: 1 }] : [],
      })),
    });
    const file = join(folder, 'test.yml');
    const tests = Object.entries(HOURS).map(([name, { series, fires }]) => test(fires, series, name));
    // JSON is YAML.
    writeFileSync(file, JSON.stringify({ rule_files: [RULES], evaluation_interval: '1m', tests }));
    try {
      const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' });
      assert.equal(status, 0, stdout + stderr);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
