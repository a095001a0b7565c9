import { Paper, Table, Text } from '@mantine/core';
import type { ServiceState } from '../../../shared/services.ts';
import { formatState, isAiling, SERVICE_DOTS, SERVICE_NAMES } from '../../format/services.ts';
import { formatSince } from '../../format/since.ts';
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
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Service</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th>Version</Table.Th>
            <Table.Th>Since this page was opened</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {services.map((service) => (
            <ServiceRow key={service.name} service={service} samples={samples} now={now} />
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

function ServiceRow({ service, samples, now }: { service: ServiceState; samples: Samples; now: number }) {
  const { name, status, version, problem } = service;
  return (
    <Table.Tr>
      <Table.Th scope="row" style={{ fontWeight: 500 }}>
        {SERVICE_NAMES[name] ?? name}
      </Table.Th>
      <Table.Td>
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
      </Table.Td>
      <Table.Td>{version ?? '–'}</Table.Td>
      <Table.Td>{status !== 'not_configured' && <LatencyLine samples={samples.get(name) ?? []} />}</Table.Td>
    </Table.Tr>
  );
}
