import { Group, Paper, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useLayoutEffect, useState } from 'react';
import type { ServiceName, ServiceProblem, ServiceState, Services } from '../../../shared/services.ts';
import { SERVICES_EVERY_MS, servicesQuery } from '../../api/services.ts';
import { hasApplications, hasPeople } from '../../deployment.ts';
import { counted, digits } from '../../lib/format-count.ts';
import { formatSince } from '../../lib/format-time.ts';
import { dotOf, formatServices, formatState, SERVICE_NAMES } from '../../lib/service-state.ts';
import { DataAge, StatusDot } from '../../ui/facts.tsx';
import { useNow } from '../../ui/hooks.tsx';
import { Dimmed } from '../../ui/layout.tsx';
import { QueryState } from '../../ui/query-state.tsx';
import { SevenDays } from './seven-days.tsx';
import classes from './system.module.css';

/** Polls every 5 s while the page is visible. If a request fails, the last known state stays. */
export function ServicesSection() {
  const query = useQuery({ ...servicesQuery(SERVICES_EVERY_MS), select: configuredOnly });
  const { data } = query;
  const checks = useChecks(data?.services);
  const now = useNow() + (data?.clockAheadMs ?? 0);
  return (
    <Stack component="section" gap="sm">
      <Group align="baseline" gap="sm">
        <Title order={2}>Services</Title>
        {data !== undefined && (
          <>
            <Dimmed span role="status" flex={1}>
              {formatServices(data.services)}
            </Dimmed>
            <DataAge
              asOf={data.services.map(({ checked_at }) => checked_at).sort()[0] ?? ''}
              clockAheadMs={data.clockAheadMs}
            />
          </>
        )}
      </Group>
      <QueryState
        query={query}
        title="The state of the services is unknown"
        loading={<Skeleton h={{ base: heightFor(7.58), sm: heightFor(6.21) }} aria-hidden />}
      >
        {({ services }) => (
          <>
            <Paper withBorder style={{ overflowX: 'auto' }} tabIndex={0} role="region" aria-label="Services">
              <Table verticalSpacing="xs" horizontalSpacing="md" miw="44rem">
                <Table.DataRenderer data={{ head: ['Service', 'State', 'Version', 'Since this page was opened'] }} />
                <Table.Tbody>
                  {services.map((service) => (
                    <Table.Tr key={service.name}>
                      <Table.Th scope="row" fw={500}>
                        {SERVICE_NAMES[service.name] ?? service.name}
                      </Table.Th>
                      <Table.Td>
                        <State service={service} now={now} />
                      </Table.Td>
                      <Table.Td>{service.version ?? '–'}</Table.Td>
                      <Table.Td>
                        <LatencyLine checks={checks.get(service.name) ?? []} />
                      </Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </Paper>
            <SevenDays services={services} now={now} />
          </>
        )}
      </QueryState>
    </Stack>
  );
}

/** The height of the table and strips while they load, so that nothing below moves. @param each of a service, in rem */
const heightFor = (each: number): string =>
  `${9.625 + each * (3 + 2 * Number(hasPeople()) + 2 * Number(hasApplications()))}rem`;

const configuredOnly = <T extends Services>(data: T): T => ({
  ...data,
  services: data.services.filter(({ status }) => status !== 'not_configured'),
});

function State({ service, now }: { service: ServiceState; now: number }) {
  const { name, status, problem } = service;
  return (
    <>
      <StatusDot status={dotOf(service)}>{formatState(service)}</StatusDot>
      {service.since !== null && (status === 'down' || status === 'degraded') && (
        <Text size="xs" fw={500}>
          {formatSince(service.since, now)}
        </Text>
      )}
      {problem !== null && (
        <Dimmed size="xs" maw="22rem">
          {ADVICE_OF[name]?.[problem] ?? ADVICE[problem]} {service.code}
        </Dimmed>
      )}
    </>
  );
}

const ADVICE: Record<ServiceProblem, string> = {
  unreachable: 'Nothing responds at its address. Check that it is running and reachable from this dashboard.',
  certificate: 'It or this dashboard refuses the other’s TLS certificate, or the lack of one.',
  slow: 'It takes more than a second to respond, or timed out.',
  refuses_key: 'It rejects the stored API key, or requires one and none is stored. See Settings.',
  key_unreadable: 'Its stored API key cannot be decrypted or sent. Store it again under Settings.',
  too_many_requests: 'It is currently limiting requests.',
  failing: 'It is reachable but reports that it is not ready, or drops connections.',
  nonsense: 'Something else responds at its address. Check the address.',
};

const ADVICE_OF: Partial<Record<ServiceName, Partial<Record<ServiceProblem, string>>>> = {
  database: {
    unreachable: 'The database does not respond. Settings, the audit trail and sign-ins depend on it.',
    failing: 'The database cannot be written to.',
  },
  geo: { unreachable: 'The geolocation file cannot be read: maps and locations stay empty.' },
};

const WIDTH = 190;
const HEIGHT = 28;
/** How many checks the line shows. The sentence covers all checks. */
const LINE_CHECKS_MAX = 60;

/**
 * The latency of the latest checks, from zero to the highest. A failed check leaves a marked gap. If no check has a
 * latency and none failed, shows text instead.
 */
function LatencyLine({ checks }: { checks: readonly ServiceState[] }) {
  const recent = checks.slice(-LINE_CHECKS_MAX);
  const sentence = formatChecks(checks);
  const range = latencyRange(recent);
  const scale = (words: string) => (
    <Dimmed span size="xs">
      {words}
    </Dimmed>
  );
  if (range === undefined && recent.every(isUp)) return scale(sentence);
  const most = Math.max(1, range?.most ?? 1);
  const x = (index: number): number => 2 + (recent.length < 2 ? 1 : index / (recent.length - 1)) * (WIDTH - 4);
  const y = (ms: number): number => HEIGHT - 3 - (ms / most) * (HEIGHT - 6);
  const path = recent.map(({ latency_ms }, index) => {
    if (latency_ms === null) return '';
    const [before, after] = [recent[index - 1], recent[index + 1]].map(
      (check) => typeof check?.latency_ms === 'number',
    );
    // A check without neighbours becomes a dash.
    return `${before ? 'L' : 'M'}${x(index).toFixed(1)} ${y(latency_ms).toFixed(1)}${before || after ? '' : 'h-5'}`;
  });
  return (
    <Group gap="sm" wrap="nowrap">
      <svg className={classes.line} width={WIDTH} height={HEIGHT} role="img" aria-label={sentence}>
        <title>{sentence}</title>
        <line x2={WIDTH} y1={HEIGHT} y2={HEIGHT} />
        <path d={path.join('')} />
        {recent.map(
          (check, index) =>
            check.latency_ms === null &&
            !isUp(check) && <circle key={check.checked_at} cx={x(index)} cy={HEIGHT - 3} r={2} />,
        )}
      </svg>
      {range !== undefined && scale(`0–${digits(most)} ms`)}
    </Group>
  );
}

/** One hour of checks every 5 s. */
const CHECKS_MAX = 720;

/**
 * Collects checks while the page is open. They are discarded when the operator leaves. States of a service with the same
 * time are from the same check.
 */
function useChecks(services: readonly ServiceState[] | undefined) {
  const [checks, setChecks] = useState<ReadonlyMap<ServiceName, readonly ServiceState[]>>(new Map());
  useLayoutEffect(() => {
    for (const service of services ?? [])
      setChecks((checks) => {
        const before = checks.get(service.name) ?? [];
        if (before.at(-1)?.checked_at === service.checked_at) return checks;
        return new Map(checks).set(service.name, [...before, service].slice(-CHECKS_MAX));
      });
  }, [services]);
  return checks;
}

const isUp = ({ status }: ServiceState): boolean => status === 'up';

function latencyRange(checks: readonly ServiceState[]): { least: number; most: number } | undefined {
  const latencies = checks.flatMap(({ latency_ms }) => latency_ms ?? []);
  return latencies.length === 0 ? undefined : { least: Math.min(...latencies), most: Math.max(...latencies) };
}

/** `12 checks, all up, 3 to 41 ms` */
function formatChecks(checks: readonly ServiceState[]): string {
  if (checks.length === 0) return 'Not checked yet';
  const up = checks.filter(isUp).length;
  const share = up < checks.length ? `${digits(up)} of them up` : up === 1 ? 'up' : 'all up';
  const range = latencyRange(checks);
  const latencies =
    range && `, ${range.least === range.most ? '' : `${digits(range.least)} to `}${digits(range.most)} ms`;
  return `${counted(checks.length, 'check', 'checks')}, ${share}${latencies ?? ''}`;
}
