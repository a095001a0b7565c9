import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useId } from 'react';
import { useCan } from '../api/session.ts';
import { placesQuery } from '../api/sessions.ts';
import { counted } from '../lib/format-count.ts';
import { type TimelineKind, timelineSearch } from '../list/resource.ts';
import { exactTime } from '../ui/facts.tsx';
import { FailurePanel } from '../ui/failure-panel.tsx';
import {
  type Icon,
  IconChecklist,
  IconDevices,
  IconFileDescription,
  IconHistory,
  IconLock,
  IconMail,
} from '../ui/icons.tsx';
import { LoadingRows } from '../ui/loading.tsx';
import { StatePanel } from '../ui/state-panel.tsx';
import classes from './timeline.module.css';
import type { Reading } from './timeline-lines.ts';
import {
  byDay,
  EVERYTHING,
  mergedLines,
  NOTHING,
  type ReadPart,
  readToOf,
  type TimelineDay,
  type TimelineLine,
  timeOfDay,
} from './timeline-lines.ts';

/** Where lines come from. */
export interface TimelineSource extends ReadPart {
  /** In a sentence: "the audit trail". */
  name: string;
  /** What its lines may be about. */
  kinds: readonly TimelineKind[];
  /** Undefined for what the record itself says. */
  reading?: Reading<unknown>;
}

interface TimelineProps {
  /** In the order of their buttons, with the words on them. */
  kinds: readonly (readonly [kind: TimelineKind, label: string])[];
  sources: readonly TimelineSource[];
  /** What the sources cannot tell, a sentence each. */
  limits: readonly string[];
  /** Links to more. */
  beside: ReactNode;
}

/** What happened around a record, newest first, as far back as all of its sources have been read. */
export function Timeline({ kinds, sources, limits, beside }: TimelineProps) {
  const kind = useChosenKind(kinds);
  const chosen = kind === undefined ? sources : sources.filter((source) => source.kinds.includes(kind));
  const lines = mergedLines(chosen).filter((line) => kind === undefined || line.kind === kind);
  const readTo = readToOf(chosen);
  const failed = chosen.flatMap(({ name, reading }) =>
    reading === undefined || reading.error === null ? [] : [{ name, reading, error: reading.error }],
  );
  const holding = chosen.flatMap(({ reading, readTo: own }) =>
    reading !== undefined && own === readTo && reading.hasMore && reading.error === null ? [reading] : [],
  );
  const places = usePlaces(lines);
  const unread = failed.filter(({ reading }) => reading.pages.length === 0);
  return (
    <Stack gap="sm">
      <KindButtons kinds={kinds} chosen={kind} />
      {readTo === NOTHING ? (
        <LoadingRows label="Loading the timeline" rows={6} height={52} />
      ) : (
        <>
          <Failures failed={unread} title={(name) => `${capital(name)} could not be read`} />
          {lines.length === 0 ? (
            <NoLines isFiltered={kind !== undefined} isWhole={readTo === EVERYTHING && failed.length === 0} />
          ) : (
            <Days days={byDay(lines, Date.now())} places={places} />
          )}
          <Failures
            failed={failed.filter((one) => !unread.includes(one))}
            title={(name) => `Not all of ${name} could be read`}
          />
          <Group gap="sm">
            {holding.length > 0 && (
              <Button
                variant="default"
                size="xs"
                loading={holding.some(({ isBusy }) => isBusy)}
                onClick={() => void Promise.all(holding.map(({ readOn }) => readOn()))}
              >
                Show older
              </Button>
            )}
            <Text size="xs" c="dimmed" role="status">
              {formatReach(lines.length, readTo, holding.length > 0)}
            </Text>
          </Group>
          <Group gap="sm">{beside}</Group>
          <Limits limits={limits} />
        </>
      )}
    </Stack>
  );
}

const Limits = ({ limits }: Pick<TimelineProps, 'limits'>) => (
  <details className={classes.limits}>
    <summary>What this timeline cannot tell</summary>
    <ul>
      {limits.map((limit) => (
        <li key={limit}>{limit}</li>
      ))}
    </ul>
  </details>
);

/** The kind in the address; undefined for all, and for one that this record has not. */
function useChosenKind(kinds: TimelineProps['kinds']): TimelineKind | undefined {
  const { kind } = timelineSearch(useSearch({ strict: false }));
  return kinds.find(([known]) => known === kind)?.[0];
}

function KindButtons({ kinds, chosen }: { kinds: TimelineProps['kinds']; chosen: TimelineKind | undefined }) {
  const navigate = useNavigate();
  const choices = [[undefined, 'Everything'] as const, ...kinds];
  return (
    <Group gap={6} role="group" aria-label="Show">
      {choices.map(([kind, label]) => (
        <Button
          key={label}
          size="compact-sm"
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

const Failures = (props: {
  failed: readonly { name: string; reading: Reading<unknown>; error: Error }[];
  title: (name: string) => string;
}) =>
  props.failed.map(({ name, reading, error }) => (
    <FailurePanel key={name} error={error} title={props.title(name)} onRetry={() => void reading.retry()} />
  ));

const NoLines = ({ isFiltered, isWhole }: { isFiltered: boolean; isWhole: boolean }) =>
  isFiltered ? (
    <StatePanel
      kind="no-match"
      title="Nothing of this kind"
      text={isWhole ? 'Other things may have happened.' : 'Not everything has been read.'}
    />
  ) : (
    <StatePanel kind="no-data" title="Nothing is known" text={isWhole ? undefined : 'Not everything has been read.'} />
  );

type Places = ReadonlyMap<string, string>;

/** Of the lines shown; while those of more lines are looked up, the ones known stay. */
function usePlaces(lines: readonly TimelineLine[]): Places | undefined {
  const addresses = [...new Set(lines.flatMap(({ address }) => address ?? []))].sort();
  const enabled = useCan()('geo.read') && addresses.length > 0;
  return useQuery({ ...placesQuery(addresses), enabled, placeholderData: keepPreviousData }).data;
}

const Days = ({ days, places }: { days: readonly TimelineDay[]; places: Places | undefined }) =>
  days.map((day) => <Day key={day.name} day={day} places={places} />);

function Day({ day: { name, lines }, places }: { day: TimelineDay; places: Places | undefined }) {
  const id = useId();
  return (
    <section aria-labelledby={id} data-timeline>
      <Title order={2} size="h5" mb={6} id={id}>
        {name}
      </Title>
      <Paper withBorder component="ol" className={classes.lines}>
        {lines.map((line) => (
          <Line key={line.id} line={line} place={places?.get(line.address ?? '')} />
        ))}
      </Paper>
    </section>
  );
}

function Line({ line, place }: { line: TimelineLine; place: string | undefined }) {
  const { at, kind, text, detail, action } = line;
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
      <KindMark kind={kind} />
      <div className={classes.words}>
        <div>
          {text}
          {place !== undefined && ` · ${place}`}
        </div>
        {detail !== undefined && <div className={classes.detail}>{detail}</div>}
      </div>
      {action !== undefined && <div className={classes.action}>{action}</div>}
    </li>
  );
}

/** "12 lines, read back to 31 Jan 2026, 09:00:00" */
function formatReach(count: number, readTo: number, hasMore: boolean): string {
  const lines = counted(count, 'line', 'lines');
  if (readTo !== EVERYTHING) return `${lines}, read back to ${exactTime(new Date(readTo).toISOString())}`;
  return hasMore ? `${lines}; the rest comes in no order of time` : `${lines}, all that could be read`;
}

const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

const ICONS: Record<TimelineKind, Icon> = {
  trail: IconHistory,
  record: IconFileDescription,
  sessions: IconDevices,
  messages: IconMail,
  consents: IconChecklist,
  locks: IconLock,
};

/** The icon of a kind; the words beside it say the same. */
export function KindMark({ kind }: { kind: TimelineKind }) {
  const Icon = ICONS[kind];
  return (
    <span className={classes.mark} data-kind={kind}>
      <Icon size={16} />
    </span>
  );
}
