import { ActionIcon, TextInput } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { readWritten, writtenTime } from '../lib/format-time.ts';
import { IconCalendar } from './icons.tsx';
import classes from './ui.module.css';

/**
 * A field for a day, or with `withTime` for a time, in the format of the whole app: "31 Jan 2026". The browser's own
 * field would use the browser's language; only its calendar is used.
 * @param props.value `2026-01-31` or `2026-01-31T09:00`; '' for none
 * @param props.onChange called once the typed text is such a value, or empty
 * @param props.error shown unless the typed text has a mistake of its own
 */
export function DateField(props: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  withTime?: boolean;
  size?: 'xs' | 'sm';
  error?: ReactNode;
}) {
  const { label, value, onChange, withTime = false, size, error } = props;
  const formatted = writtenTime(value);
  const [state, setState] = useState({ formatted, text: formatted, left: false });
  // Typed text stays as it is until the field is left; a value from elsewhere replaces it.
  const current = state.formatted === formatted ? state : { formatted, text: formatted, left: false };
  if (current !== state) setState(current);
  const field = useRef<HTMLInputElement>(null);
  const calendar = useRef<HTMLInputElement>(null);
  const written = readWritten(current.text, withTime);
  const problem = 'problem' in written ? written.problem : undefined;

  // A form with a mistake is not sent.
  useEffect(() => field.current?.setCustomValidity(problem ?? ''), [problem]);
  const take = (text: string): void => {
    const read = readWritten(text, withTime);
    const isRead = 'value' in read;
    setState({ formatted: isRead ? writtenTime(read.value) : formatted, text, left: false });
    if (isRead && writtenTime(read.value) !== formatted) onChange(read.value);
  };
  const leave = (): void =>
    setState({ ...current, text: problem === undefined ? formatted : current.text, left: true });
  return (
    <TextInput
      ref={field}
      size={size}
      label={label}
      placeholder={withTime ? '31 Jan 2026, 09:30' : '31 Jan 2026'}
      autoComplete="off"
      spellCheck={false}
      value={current.text}
      error={(current.left && problem) || error}
      onChange={({ currentTarget }) => take(currentTarget.value)}
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
            onChange={({ currentTarget }) => take(writtenTime(currentTarget.value))}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            size={24}
            aria-label="Calendar"
            title={`Calendar for “${label}”`}
            onClick={() => calendar.current?.showPicker()}
          >
            <IconCalendar />
          </ActionIcon>
        </>
      }
    />
  );
}
