import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useCan } from '../api/session.ts';
import { placesQuery } from '../api/sessions.ts';
import { counted } from '../lib/format-count.ts';
import { capitalised } from '../lib/visible-text.ts';
import { SmallButton } from '../ui/buttons.tsx';
import { Details } from '../ui/confirm-dialog.tsx';
import { exactTime } from '../ui/facts.tsx';
import { FailurePanel } from '../ui/failure-panel.tsx';
import { Section, TextLink } from '../ui/layout.tsx';
import { LoadingRows } from '../ui/loading.tsx';
import {
  type Icon,
  IconChecklist,
  IconDevices,
  IconFileDescription,
  IconHistory,
  IconLock,
  IconMail,
} from '../ui/shell-icons.tsx';
import { StatePanel } from '../ui/state-panel.tsx';
import classes from './record.module.css';
import { type TimelineKind, timelineSearch } from './timeline-kinds.ts';
import {
  byDay,
  EVERYTHING,
  loadedToOf,
  mergedLines,
  NOTHING,
  type TimelineLine,
  type TimelineSource,
  timeOfDay,
} from './timeline-sources.tsx';

interface TimelineProps {
  /** The kinds in the order of their buttons, with labels. */
  kinds: readonly (readonly [kind: TimelineKind, label: string])[];
  sources: readonly TimelineSource[];
  /** What the sources leave out, one sentence each. */
  limits: readonly string[];
  beside: ReactNode;
}

const LATEST = 8;

/** The latest events of a record, for a column beside other facts. */
export function LatestEvents({ sources }: Pick<TimelineProps, 'sources'>) {
  const lines = mergedLines(sources).slice(0, LATEST);
  const failed = failuresOf(sources).map(({ name }) => name);
  return (
    <Section
      title="Latest events"
      actions={
        <TextLink size="sm" to={'./history' as string} state={(current) => current}>
          Open the timeline
        </TextLink>
      }
    >
      {loadedToOf(sources) === NOTHING ? (
        <LoadingRows label="Loading the latest events" rows={6} height={52} />
      ) : (
        <Stack gap="sm">
          <Days lines={lines.map((line) => ({ ...line, action: undefined }))} level={3} />
          {(lines.length === 0 || failed.length > 0) && (
            <Text size="sm" c="dimmed">
              {failed.length > 0 ? `Could not be read: ${failed.join(', ')}.` : 'No events.'}
            </Text>
          )}
        </Stack>
      )}
    </Section>
  );
}

const failuresOf = (sources: readonly TimelineSource[]) =>
  sources.flatMap(({ name, pagedQuery }) => (pagedQuery?.error ? [{ name, pagedQuery, error: pagedQuery.error }] : []));

/** The events of a record, newest first, as far back as all sources have been read. */
export function Timeline({ kinds, sources, limits, beside }: TimelineProps) {
  const kind = useChosenKind(kinds);
  const chosen = kind === undefined ? sources : sources.filter((source) => source.kinds.includes(kind));
  const lines = mergedLines(chosen).filter((line) => kind === undefined || line.kind === kind);
  const loadedTo = loadedToOf(chosen);
  const failed = failuresOf(chosen);
  const unread = failed.filter(({ pagedQuery }) => pagedQuery.pages.length === 0);
  const older = chosen.flatMap(({ pagedQuery }) =>
    pagedQuery?.loadedTo === loadedTo && pagedQuery.hasMore && pagedQuery.error === null ? [pagedQuery] : [],
  );
  const locations = useLocations(lines);
  return (
    <Stack gap="sm">
      <KindButtons kinds={kinds} chosen={kind} />
      {loadedTo === NOTHING ? (
        <LoadingRows label="Loading the timeline" rows={6} height={52} />
      ) : (
        <>
          <Failures failed={unread} title={(name) => `${capitalised(name)} could not be read`} />
          <Days lines={lines} locations={locations} />
          {lines.length === 0 && (
            <StatePanel
              kind={kind === undefined ? 'no-data' : 'no-match'}
              title={kind === undefined ? 'No events' : 'No events of this kind'}
              text={loadedTo === EVERYTHING && failed.length === 0 ? undefined : 'Some events have not been loaded.'}
            />
          )}
          <Failures
            failed={failed.filter((one) => !unread.includes(one))}
            title={(name) => `Not all of ${name} could be read`}
          />
          <Group gap="sm">
            {older.length > 0 && (
              <SmallButton
                loading={older.some(({ isBusy }) => isBusy)}
                onClick={() => void Promise.all(older.map(({ loadMore }) => loadMore()))}
              >
                Show older
              </SmallButton>
            )}
            <Text size="xs" c="dimmed" role="status">
              {formatReach(lines.length, loadedTo, older.length > 0)}
            </Text>
          </Group>
          <Group gap="sm">{beside}</Group>
          <Details summary="What this timeline does not show" sentences={limits} />
        </>
      )}
    </Stack>
  );
}

/** The kind in the URL; undefined for all kinds, and for a kind that this record does not have. */
function useChosenKind(kinds: TimelineProps['kinds']): TimelineKind | undefined {
  const { kind } = timelineSearch(useSearch({ strict: false }));
  return kinds.find(([one]) => one === kind)?.[0];
}

function KindButtons({ kinds, chosen }: { kinds: TimelineProps['kinds']; chosen: TimelineKind | undefined }) {
  const navigate = useNavigate();
  const choices = [[undefined, 'Everything'] as const, ...kinds];
  return (
    <Group gap={6} role="group" aria-label="Show">
      {choices.map(([kind, label]) => (
        <Button
          key={label}
          size="xs"
          variant={kind === chosen ? 'light' : 'default'}
          aria-pressed={kind === chosen}
          onClick={() =>
            void navigate({
              to: '.',
              search: kind === undefined ? {} : { kind },
              state: (current: object) => current,
              replace: true,
              resetScroll: false,
            } as never)
          }
        >
          {label}
        </Button>
      ))}
    </Group>
  );
}

const Failures = (props: { failed: ReturnType<typeof failuresOf>; title: (name: string) => string }) =>
  props.failed.map(({ name, pagedQuery, error }) => (
    <FailurePanel key={name} error={error} title={props.title(name)} onRetry={() => void pagedQuery.retry()} />
  ));

/** Locations by IP address. Those already known stay while others load. */
function useLocations(lines: readonly TimelineLine[]): ReadonlyMap<string, string> | undefined {
  const addresses = [...new Set(lines.flatMap(({ address }) => address ?? []))].sort();
  const enabled = useCan()('geo.read') && addresses.length > 0;
  return useQuery({ ...placesQuery(addresses), enabled, placeholderData: keepPreviousData }).data;
}

/** @param props.level of the headings: 3 in a card */
const Days = (props: { lines: readonly TimelineLine[]; locations?: ReadonlyMap<string, string>; level?: 2 | 3 }) =>
  byDay(props.lines, Date.now()).map(({ name, lines }) => (
    <section key={name} aria-label={name} data-timeline>
      <Title order={props.level ?? 2} mb={6}>
        {name}
      </Title>
      <Paper withBorder={props.level === undefined} component="ol" fz="sm" data-rows>
        {lines.map((line) => (
          <Line key={line.id} line={line} location={props.locations?.get(line.address ?? '')} />
        ))}
      </Paper>
    </section>
  ));

function Line({ line, location }: { line: TimelineLine; location: string | undefined }) {
  const { at, kind, text, detail, action } = line;
  const Icon = ICONS[kind];
  const time = timeOfDay(at);
  return (
    <li className={classes.line}>
      <span className={classes.time} data-line-time>
        {time !== '' && (
          <time dateTime={at} title={exactTime(at)}>
            {time}
          </time>
        )}
      </span>
      <span className={classes.mark} data-kind={kind}>
        <Icon size={16} />
      </span>
      <div>
        {text}
        {location !== undefined && ` · ${location}`}
        {detail !== undefined && (
          <Text component="div" size="xs" c="dimmed">
            {detail}
          </Text>
        )}
      </div>
      {action !== undefined && <div className={classes.action}>{action}</div>}
    </li>
  );
}

/** "12 events, back to 31 Jan 2026, 09:00:00" */
function formatReach(count: number, loadedTo: number, hasMore: boolean): string {
  const events = counted(count, 'event', 'events');
  if (loadedTo !== EVERYTHING) return `${events}, back to ${exactTime(new Date(loadedTo).toISOString())}`;
  return hasMore ? `${events}; others, newer or older, are not loaded yet` : `${events}, all that could be loaded`;
}

/** Decorative: the text beside the icon has the same meaning. */
const ICONS: Record<TimelineKind, Icon> = {
  trail: IconHistory,
  record: IconFileDescription,
  sessions: IconDevices,
  messages: IconMail,
  consents: IconChecklist,
  locks: IconLock,
};
