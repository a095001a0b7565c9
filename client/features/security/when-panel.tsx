import { Button, Stack } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { AuditFilter } from '../../api/audit.ts';
import { clockTime } from '../../lib/format-time.ts';
import { movingTime } from '../../lib/period.ts';
import { momentOf, onClock } from '../../lib/time-zone.ts';
import { type FilterPanelProps, Options } from '../../list/filter-panel.tsx';
import { DateField } from '../../ui/date-field.tsx';

/** Periods that move with the clock. */
export const PERIODS: readonly { label: string; from: string; to?: string }[] = [
  { label: 'Last hour', from: '1h' },
  { label: 'Today', from: '0d' },
  { label: 'Yesterday', from: '1d', to: '0d' },
  { label: 'Last 7 days', from: '168h' },
  { label: 'Last 30 days', from: '720h' },
];

type When = Pick<AuditFilter, 'from' | 'to'>;

/** "Yesterday", "from 31 Jan 2026, 09:00"; times that are none as they are. */
export function formatWhen({ from, to }: When): string {
  const period = PERIODS.find((one) => one.from === from && one.to === to);
  if (period !== undefined) return period.label;
  const [, hours] = /^(\d+)h$/.exec(from ?? '') ?? [];
  if (hours !== undefined && to === undefined) return `Last ${hours} hours`;
  const [first, last] = [from, to].map((time) => {
    const date = new Date(movingTime(time ?? '', Date.now()) ?? time ?? '');
    return Number.isNaN(date.getTime()) ? time : clockTime(date.getTime(), Date.now());
  });
  if (last === undefined) return `from ${first}`;
  return first === undefined ? `before ${last}` : `${first} to ${last}`;
}

const BETWEEN = { value: 'between', label: 'Between…' };

/** @param props.value first and last time, `1d..0d` */
export function WhenPanel({ value, change, close }: FilterPanelProps) {
  const periods = PERIODS.map(({ label, from, to = '' }) => ({ label, value: `${from}..${to}` }));
  const [between, setBetween] = useState(value !== '' && periods.every((period) => period.value !== value));
  const choose = (when: string): void => {
    change(when);
    close();
  };
  return (
    <>
      <Options
        label="When"
        options={[...periods, BETWEEN]}
        value={between ? BETWEEN.value : value}
        onChoose={(chosen) => {
          setBetween(chosen === BETWEEN.value);
          if (chosen !== BETWEEN.value) choose(chosen);
        }}
      />
      {between && <BetweenForm value={value} onChoose={choose} />}
    </>
  );
}

/** Two times, either of which may be absent. */
function BetweenForm({ value, onChoose }: { value: string; onChoose: (when: string) => void }) {
  const [times, setTimes] = useState(() =>
    value.split('..').map((time) => localTime(movingTime(time, Date.now()) ?? time)),
  );
  const [from = '', before = ''] = times;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const when = times.map((time) => utcTime(time) ?? '').join('..');
    onChoose(when === '..' ? '' : when);
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="xs" p="xs">
        <DateField withTime label="From" value={from} onChange={(time) => setTimes([time, before])} />
        <DateField withTime label="Before" value={before} onChange={(time) => setTimes([from, time])} />
        <Button type="submit">Show</Button>
      </Stack>
    </form>
  );
}

/** A value for `datetime-local` in the operator's time zone, with seconds if there are any; '' for no time. */
export function localTime(utc: string | undefined): string {
  const date = new Date(utc ?? '');
  if (Number.isNaN(date.getTime())) return '';
  const shifted = onClock(date).toISOString();
  return shifted.endsWith(':00.000Z') ? shifted.slice(0, 16) : shifted.slice(0, 23);
}

/** The value of a `datetime-local` field in UTC; undefined if the field is empty. */
export function utcTime(local: string): string | undefined {
  const time = Date.parse(`${local}Z`);
  return Number.isNaN(time) ? undefined : momentOf(time).toISOString();
}
