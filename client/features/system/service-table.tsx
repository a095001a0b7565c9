import type { ServiceState } from '../../../shared/services.ts';
import { formatState, isAiling, SERVICE_DOTS, SERVICE_NAMES } from '../../format/services.ts';
import { formatSince } from '../../format/since.ts';
import { Paper } from '../../ui/elements/layout.tsx';
import { Table } from '../../ui/elements/table.tsx';
import { Text } from '../../ui/elements/text.tsx';
import { useNow } from '../../ui/hooks/use-now.ts';
import { StatusDot } from '../../ui/status-dot.tsx';
import { LatencyLine } from './latency-line.tsx';
import type { Samples } from './latency-samples.ts';
import { adviceOn } from './service-advice.ts';

const COUNTED_EVERY_MS = 10_000;

/** State, version and latency of each service since the page was opened. */
export function ServiceTable(props: { services: readonly ServiceState[]; samples: Samples; clockAheadMs: number }) {
  const { services, samples } = props;
  const now = useNow(COUNTED_EVERY_MS) + props.clockAheadMs;
  return (
    <Paper withBorder style={{ overflowX: 'auto' }} tabIndex={0} role="region" aria-label="Services">
      <Table verticalSpacing="sm" horizontalSpacing="md" miw="44rem">
        <thead>
          <tr>
            <th>Service</th>
            <th>State</th>
            <th>Version</th>
            <th>Since this page was opened</th>
          </tr>
        </thead>
        <tbody>
          {services.map((service) => (
            <ServiceRow key={service.name} service={service} samples={samples} now={now} />
          ))}
        </tbody>
      </Table>
    </Paper>
  );
}

function ServiceRow({ service, samples, now }: { service: ServiceState; samples: Samples; now: number }) {
  const { name, status, version, problem } = service;
  return (
    <tr>
      <th scope="row" style={{ fontWeight: 500 }}>
        {SERVICE_NAMES[name] ?? name}
      </th>
      <td>
        <StatusDot status={SERVICE_DOTS[status]}>{formatState(service)}</StatusDot>
        {isAiling(service) && (
          <Text size="xs" fw={500}>
            {formatSince(service.since, now)}
          </Text>
        )}
        {problem !== null && (
          <Text size="xs" c="dimmed" maw="22rem">
            {adviceOn(name, problem)}
          </Text>
        )}
      </td>
      <td>{version ?? '–'}</td>
      <td>{status !== 'not_configured' && <LatencyLine samples={samples.get(name) ?? []} />}</td>
    </tr>
  );
}
