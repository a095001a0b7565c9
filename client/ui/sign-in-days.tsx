import { Box, Group, Table, Text } from '@mantine/core';
import type { DayCount } from '../../shared/dashboard.ts';
import type { SignInCoverage } from '../../shared/sign-ins.ts';
import { counted, digits } from '../lib/format-count.ts';
import { dayOf } from '../lib/format-time.ts';
import { gapsSince } from '../lib/sign-in-words.ts';
import { momentOf, onClock } from '../lib/time-zone.ts';

/**
 * Sign-ins by day: successes above the line, failures below it, on one scale. Days with gaps are shaded.
 * @param props.failed for the same days as `succeeded`
 */
export function SignInDays(props: {
  succeeded: readonly DayCount[];
  failed: readonly DayCount[];
  coverage: SignInCoverage | undefined;
  asTable?: boolean;
}) {
  const { succeeded, failed, coverage } = props;
  const localDay = (time: string): string => onClock(new Date(time)).toISOString().slice(0, 10);
  const gaps = coverage === undefined ? [] : gapsSince(coverage, 'identity');
  const days = succeeded.map(({ day, count: up }, index) => {
    const down = failed[index]?.count ?? 0;
    const isPartial = gaps.some(({ from, to }) => localDay(from) <= day && localDay(to) >= day);
    const words = `${digits(up)} succeeded, ${digits(down)} failed${isPartial ? '; some may be missing' : ''}`;
    return { name: dayOf(momentOf(Date.parse(day))), up, down, isPartial, words };
  });
  const [first] = days;
  if (first === undefined) return <Text size="sm">No sign-ins have been reported yet.</Text>;
  const sum = (of: 'up' | 'down') => days.reduce((all, day) => all + day[of], 0);
  const most = (of: 'up' | 'down') => Math.max(1, ...days.map((day) => day[of]));
  const [up, down] = [most('up'), most('down')];
  const note = days.some(({ isPartial }) => isPartial) ? ' Some may be missing on shaded days.' : '';
  const sentence = `${counted(sum('up'), 'sign-in', 'sign-ins')} succeeded and ${digits(sum('down'))} failed since ${first.name}.${note}`;
  if (props.asTable)
    return (
      <Box flex={1} mih={0} style={{ overflow: 'auto' }} tabIndex={0} role="group" aria-label="Sign-ins by day">
        <Table
          verticalSpacing={2}
          captionSide="top"
          data={{ caption: sentence, body: days.toReversed().map(({ name, words }) => [name, words]) }}
        />
      </Box>
    );
  return (
    <>
      <svg
        role="img"
        aria-label={sentence}
        viewBox={`0 ${-up} ${days.length} ${up + down}`}
        preserveAspectRatio="none"
        style={{ flex: '1 1 0', minHeight: 0, height: '9rem', width: '100%' }}
      >
        {days.map((day, at) => (
          <g key={day.name}>
            <title>{`${day.name}: ${day.words}`}</title>
            <rect x={at} y={-up} width={1} height={up + down} opacity={day.isPartial ? 0.15 : 0} fill="currentColor" />
            <rect x={at + 0.1} y={-day.up} width={0.8} height={day.up} fill="var(--mantine-color-green-7)" />
            <rect x={at + 0.1} y={0} width={0.8} height={day.down} fill="var(--mantine-color-red-7)" />
          </g>
        ))}
      </svg>
      <Group justify="space-between" fz="xs" c="dimmed" aria-hidden>
        <span>{first.name}</span>
        <span>
          failures below the line, highest bar {digits(Math.max(...days.flatMap((day) => [day.up, day.down])))}
        </span>
        <span>{days.at(-1)?.name}</span>
      </Group>
      <Text size="xs" aria-hidden>
        {sentence}
      </Text>
    </>
  );
}
