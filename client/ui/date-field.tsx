import { ActionIcon, TextInput } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { readWritten, writtenTime } from '../lib/format-time.ts';
import { IconCalendar } from './icons.tsx';
import classes from './ui.module.css';

/**
 * A field for a day, or with `withTime` for a time, written as everywhere in the app: "31 Jan 2026". The browser's own
 * field is written as its language demands; it only lends its calendar.
 * @param props.value `2026-01-31` or `2026-01-31T09:00`; '' for none
 * @param props.onChange called with such a value once what is typed is one, or nothing is left of it
 * @param props.error shown where what is typed has no mistake of its own
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
  const shown = writtenTime(value);
  const [held, setHeld] = useState({ shown, text: shown, left: false });
  // What is typed stays as it is until the field is left; what somebody else chooses replaces it.
  const current = held.shown === shown ? held : { shown, text: shown, left: false };
  if (current !== held) setHeld(current);
  const field = useRef<HTMLInputElement>(null);
  const calendar = useRef<HTMLInputElement>(null);
  const written = readWritten(current.text, withTime);
  const problem = 'problem' in written ? written.problem : undefined;

  // A form with a mistake is not sent.
  useEffect(() => field.current?.setCustomValidity(problem ?? ''), [problem]);
  const take = (text: string): void => {
    const read = readWritten(text, withTime);
    const isRead = 'value' in read;
    setHeld({ shown: isRead ? writtenTime(read.value) : shown, text, left: false });
    if (isRead && writtenTime(read.value) !== shown) onChange(read.value);
  };
  const leave = (): void => setHeld({ ...current, text: problem === undefined ? shown : current.text, left: true });
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
