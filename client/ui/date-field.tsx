import { TextInput } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { MONTHS, twoDigits } from '../lib/format-time.ts';
import { IconButton } from './buttons.tsx';
import { createIcon } from './shell-icons.tsx';
import classes from './ui.module.css';

/**
 * A field for a date in the app's format, "31 Jan 2026"; with `withTime`, for a date and time. The browser's own date
 * field would use the browser's language, so only its calendar is used.
 * @param props.value `2026-01-31` or `2026-01-31T09:00`; '' for none
 * @param props.onChange called with each new value, once the typed text is valid or empty
 * @param props.error displayed unless the operator has left the field with an invalid text
 */
export function DateField(props: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  withTime?: boolean;
  error?: ReactNode;
}) {
  const { label, value, onChange, withTime = false, error } = props;
  const formatted = formatDate(value);
  const [state, setState] = useState({ formatted, text: formatted, left: false });
  // Preserves typed text until the field loses focus; a new value from outside replaces it.
  const current = state.formatted === formatted ? state : { formatted, text: formatted, left: false };
  if (current !== state) setState(current);
  const field = useRef<HTMLInputElement>(null);
  const calendar = useRef<HTMLInputElement>(null);
  const parsed = parseDate(current.text, withTime);
  const problem = 'problem' in parsed ? parsed.problem : undefined;

  // Blocks the submission of an invalid form.
  useEffect(() => field.current?.setCustomValidity(problem ?? ''), [problem]);
  const update = (text: string): void => {
    const parsed = parseDate(text, withTime);
    const isValid = 'value' in parsed;
    setState({ formatted: isValid ? formatDate(parsed.value) : formatted, text, left: false });
    if (isValid && formatDate(parsed.value) !== formatted) onChange(parsed.value);
  };
  const leave = (): void =>
    setState({ ...current, text: problem === undefined ? formatted : current.text, left: true });
  return (
    <TextInput
      ref={field}
      label={label}
      placeholder={withTime ? '31 Jan 2026, 09:30' : '31 Jan 2026'}
      value={current.text}
      error={(current.left && problem) || error}
      onChange={({ currentTarget }) => update(currentTarget.value)}
      onBlur={leave}
      onKeyDown={({ key }) => key === 'Enter' && leave()}
      rightSection={
        <>
          <input
            ref={calendar}
            className={classes.calendar}
            type={withTime ? 'datetime-local' : 'date'}
            step={withTime ? 'any' : undefined}
            tabIndex={-1}
            aria-hidden
            value={value}
            onChange={({ currentTarget }) => update(formatDate(currentTarget.value))}
          />
          <IconButton label="Calendar" title={`Calendar for “${label}”`} onClick={() => calendar.current?.showPicker()}>
            <IconCalendar />
          </IconButton>
        </>
      }
    />
  );
}

/** `2026-01-31`, `2026-01-31T09:00` or ''; otherwise what is wrong with the text. */
type ParsedDate = { value: string } | { problem: string };

const FULL_MONTHS = MONTHS.map((_, month) =>
  new Date(Date.UTC(2026, month)).toLocaleString('en', { month: 'long', timeZone: 'UTC' }).toLowerCase(),
);
const IN_WORDS = /^(\d{1,2})\.?\s+([a-z]{3,})\.?,?\s+(\d{4})(?:,?\s+(.+))?$/i;
const IN_DIGITS = /^(\d{4})-(\d\d)-(\d\d)(?:[t\s]\s*(.+))?$/i;
const TIME_OF_DAY = /^(\d{1,2}):(\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?$/;

/** `2026-01-31` as "31 Jan 2026", `2026-01-31T09:00` as "31 Jan 2026, 09:00". Any other text is returned unchanged. */
function formatDate(value: string): string {
  const [, year, month, day, clock] = IN_DIGITS.exec(value) ?? [];
  const name = MONTHS[Number(month) - 1];
  if (name === undefined) return value;
  return `${Number(day)} ${name} ${year}${clock === undefined ? '' : `, ${clock.replace(/\.0+$/, '')}`}`;
}

/**
 * Parses "31 Jan 2026", "31 January 2026" or "2026-01-31"; `withTime` also allows a time (default: midnight).
 * @param text '' for no date
 */
export function parseDate(text: string, withTime: boolean): ParsedDate {
  const trimmed = text.trim();
  if (trimmed === '') return { value: '' };
  const example = withTime ? '31 Jan 2026, 09:30' : '31 Jan 2026';
  const wrong: ParsedDate = { problem: `Enter a date${withTime ? ' and time' : ''}, such as ${example}.` };
  const parts = partsOf(trimmed);
  if (parts === undefined) return wrong;
  const { year, month, day, clock } = parts;
  if (!withTime && clock !== undefined) return wrong;
  const date = `${String(year).padStart(4, '0')}-${twoDigits(month + 1)}-${twoDigits(day)}`;
  if (year < 1000 || new Date(Date.UTC(year, month, day)).toISOString().slice(0, 10) !== date)
    return { problem: `${day} ${MONTHS[month] ?? `${month + 1}.`} ${year} does not exist.` };
  if (!withTime) return { value: date };
  const [, hours = '0', minutes = '00', seconds, milliseconds] = TIME_OF_DAY.exec(clock ?? '0:00') ?? [undefined, '24'];
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds ?? 0) > 59)
    return { problem: `${clock} is not a time. Enter a date and time, such as ${example}.` };
  const rest = seconds === undefined ? '' : `:${seconds}${milliseconds === undefined ? '' : `.${milliseconds}`}`;
  return { value: `${date}T${twoDigits(Number(hours))}:${minutes}${rest}` };
}

/** @returns a zero-based month */
function partsOf(text: string): { year: number; month: number; day: number; clock: string | undefined } | undefined {
  const words = IN_WORDS.exec(text);
  if (words !== null) {
    const [, day, name = '', year, clock] = words;
    const month = FULL_MONTHS.findIndex((full) => full.startsWith(name.toLowerCase()));
    return month === -1 ? undefined : { year: Number(year), month, day: Number(day), clock };
  }
  const digits = IN_DIGITS.exec(text);
  if (digits === null) return undefined;
  const [, year, month, day, clock] = digits;
  return { year: Number(year), month: Number(month) - 1, day: Number(day), clock };
}

const IconCalendar = createIcon(
  'M4 7a2 2 0 0 1 2 -2h12a2 2 0 0 1 2 2v12a2 2 0 0 1 -2 2h-12a2 2 0 0 1 -2 -2v-12M16 3v4M8 3v4M4 11h16',
);
