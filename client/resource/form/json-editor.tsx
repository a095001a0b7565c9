import { Textarea } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './json-editor.module.css';

const ROWS_MIN = 3;
const ROWS_MAX = 24;

/** A JSON field that grows with its content, up to a screenful. */
export function JsonEditor(props: {
  label: string;
  description?: string;
  value: string;
  error: ReactNode;
  required?: boolean;
  onChange: (text: string) => void;
}) {
  const { onChange, ...field } = props;
  const rows = Math.min(ROWS_MAX, Math.max(ROWS_MIN, props.value.split('\n').length));
  return (
    <Textarea
      {...field}
      rows={rows}
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      classNames={{ input: classes.text }}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
