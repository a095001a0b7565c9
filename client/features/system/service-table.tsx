import type { ServiceState } from '../../../shared/services.ts';
import { formatState, SERVICE_DOTS, SERVICE_NAMES } from '../../format/services.ts';
import { Paper } from '../../ui/elements/layout.tsx';
import { Table } from '../../ui/elements/table.tsx';
import { Text } from '../../ui/elements/text.tsx';
import { StatusDot } from '../../ui/status-dot.tsx';
import { LatencyLine } from './latency-line.tsx';
import type { Samples } from './latency-samples.ts';
import { adviceOn } from './service-advice.ts';

/** State, version and latency of each service since the page was opened. */
export const ServiceTable = ({ services, samples }: { services: readonly ServiceState[]; samples: Samples }) => (
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
          <ServiceRow key={service.name} service={service} samples={samples} />
        ))}
      </tbody>
    </Table>
  </Paper>
);

function ServiceRow({ service, samples }: { service: ServiceState; samples: Samples }) {
  const { name, status, version, problem } = service;
  return (
    <tr>
      <th scope="row" style={{ fontWeight: 500 }}>
        {SERVICE_NAMES[name] ?? name}
      </th>
      <td>
        <StatusDot status={SERVICE_DOTS[status]}>{formatState(service)}</StatusDot>
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
