import { Button, Textarea } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { isObject } from '../../shared/json.ts';
import { parseExactJson, pointerTo } from '../lib/json.ts';
import { jsonProblem } from '../lib/json-problem.ts';
import classes from './record.module.css';
import { type Problems, problemsAt } from './record-form.tsx';

/** A JSON field that grows with its content, up to a screenful. */
export function JsonEditor(props: {
  label: string;
  description?: string | undefined;
  value: string;
  error: ReactNode;
  required?: boolean;
  onChange: (text: string) => void;
}) {
  const { onChange, ...field } = props;
  return (
    <Textarea
      {...field}
      autosize
      minRows={3}
      maxRows={24}
      autoCapitalize="none"
      classNames={{ input: classes.text }}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** Switches between form and JSON. @param label of the button group: "Edit the client as" */
export const FormOrJson = (props: {
  label: string;
  json: boolean;
  value: unknown;
  onChange: (json: boolean) => void;
}) => (
  <Button.Group aria-label={props.label}>
    {[false, true].map((json) => (
      <Button
        key={String(json)}
        size="xs"
        variant={props.json === json ? 'filled' : 'default'}
        aria-pressed={props.json === json}
        // The form cannot display invalid JSON.
        disabled={props.json !== json && (!isObject(props.value) || jsonProblems(props.value) !== undefined)}
        onClick={() => props.onChange(json)}
      >
        {json ? 'JSON' : 'Form'}
      </Button>
    ))}
  </Button.Group>
);

/**
 * Edits members of a form as JSON. Keeps the text as typed: reformatting would change whitespace while the operator
 * types.
 * @param pointer where the members are in the draft; the names in problems are relative to it
 */
export function MembersAsJson(props: {
  label: string;
  description?: string;
  pointer: string;
  value: unknown;
  problems: Problems;
  onChange: (value: unknown) => void;
}) {
  const [text, setText] = useState(() => jsonText(props.value));
  const problems = problemsAt(props.problems, props.pointer).map(([pointer, problem]) =>
    `${pointer.slice(props.pointer.length + 1)} ${problem}`.trim(),
  );
  return (
    <JsonEditor
      label={props.label}
      description={props.description}
      value={text}
      error={problems.length === 0 ? undefined : problems.join(' ')}
      onChange={(typed) => {
        setText(typed);
        props.onChange(jsonOrText(typed) ?? {});
      }}
    />
  );
}

const NOT_JSON = Symbol('not JSON');

/** Parses JSON. Invalid JSON becomes a placeholder that contains the text; empty text becomes undefined. */
export function jsonOrText(text: string): unknown {
  if (text.trim() === '') return undefined;
  return jsonProblem(text) === undefined ? parseExactJson(text) : { [NOT_JSON]: text };
}

export const invalidJsonText = (value: unknown): string | undefined =>
  isObject(value) ? (value as { [NOT_JSON]?: string })[NOT_JSON] : undefined;

/** Problems for all invalid JSON in a draft; undefined if there is none. */
export function jsonProblems(value: unknown, pointer = ''): Problems | undefined {
  const text = invalidJsonText(value);
  if (text !== undefined) return { [pointer]: jsonProblem(text) ?? '' };
  if (!isObject(value) && !Array.isArray(value)) return undefined;
  const problems = Object.entries(value).map(([key, member]) => jsonProblems(member, pointerTo(pointer, key)));
  return problems.some((one) => one !== undefined) ? Object.assign({}, ...problems) : undefined;
}

/** A value as editable text; empty for undefined and null. */
export const jsonText = (value: unknown): string =>
  invalidJsonText(value) ?? (value === null || value === undefined ? '' : JSON.stringify(value, null, 2));
