import { Group, Paper, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ServiceName, ServiceProblem, ServiceState } from '../../../shared/services.ts';
import { SERVICES_EVERY_MS, servicesQuery } from '../../api/services.ts';
import { formatSince } from '../../lib/format-time.ts';
import { formatServices, formatState, isAiling, SERVICE_DOTS, SERVICE_NAMES } from '../../lib/service-state.ts';
import { DataAge, StatusDot } from '../../ui/facts.tsx';
import { useNow } from '../../ui/hooks.tsx';
import { QueryState } from '../../ui/query-state.tsx';
import type { Samples } from './latency-line.tsx';
import { LatencyLine, useSamples } from './latency-line.tsx';
import { SevenDays } from './seven-days.tsx';
import classes from './system.module.css';

const ADVICE: Record<ServiceProblem, string> = {
  unreachable: 'Nothing answers at its address. Check that it is running and reachable from this service.',
  slow: 'It takes more than a second, or did not answer in time.',
  refuses_key: 'It rejects the stored API key, or requires one and none is stored. See Settings.',
  key_unreadable: 'The API key stored for it cannot be decrypted or sent. Store it again under Settings.',
  too_many_requests: 'It is limiting requests for now.',
  failing: 'It is reachable but reports that it is not ready, or drops connections.',
  nonsense: 'Something else answers at its address. Check the address.',
};

const OF_OWN: Partial<Record<ServiceName, Partial<Record<ServiceProblem, string>>>> = {
  database: {
    unreachable: 'The database does not answer: settings, audit and sign-ins depend on it.',
    failing: 'The database cannot be written to.',
  },
  geo: { unreachable: 'The geolocation file cannot be read: maps and locations stay empty.' },
};

/** What an administrator can check. */
export const adviceOn = (name: ServiceName, problem: ServiceProblem): string =>
  OF_OWN[name]?.[problem] ?? ADVICE[problem];

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

/** Polls every 5 s while the page is visible. The last known state stays when a later request fails. */
export function ServicesSection() {
  const query = useQuery(servicesQuery(SERVICES_EVERY_MS));
  const { data } = query;
  const samples = useSamples(data);
  return (
    <section>
      <Group justify="space-between" align="baseline" mb="sm">
        <Title order={2} size="h4">
          Services
        </Title>
        {data !== undefined && (
          <DataAge asOf={oldest(data.services.map(({ checked_at }) => checked_at))} clockAheadMs={data.clockAheadMs} />
        )}
      </Group>
      <Stack gap="sm">
        <QueryState
          query={query}
          loading={<Skeleton className={classes.awaited} aria-hidden />}
          title="The state of the services is unknown"
        >
          {({ services, clockAheadMs }) => (
            <>
              <Text size="sm" c="dimmed" role="status">
                {formatServices(services)}
              </Text>
              <ServiceTable services={services} samples={samples} clockAheadMs={clockAheadMs} />
              <SevenDays services={services} clockAheadMs={clockAheadMs} />
            </>
          )}
        </QueryState>
      </Stack>
    </section>
  );
}

const oldest = (times: readonly string[]): string => times.toSorted()[0] ?? '';
