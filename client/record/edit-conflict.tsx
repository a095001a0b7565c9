import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { isObject } from '../../shared/json.ts';
import type { PatchOperation } from '../api/request.ts';
import { keysOf, numberText, pointerTo } from '../lib/json.ts';
import { RelativeTime } from '../ui/facts.tsx';
import { Modal } from '../ui/modal.tsx';
import { sameJson, withMember } from './json-editor.tsx';
import classes from './record.module.css';

type Choice = 'mine' | 'theirs';

/** Shows both versions of every changed member; where both changed the same one, the operator chooses. */
export function EditConflictDialog(props: {
  /** Noun in a sentence: "identity". */
  what: string;
  /** When the stored version was written, ISO 8601. */
  changedAt: string;
  mine: readonly MemberChange[];
  theirs: readonly MemberChange[];
  /** @param chosen the operator's own changes to write over the stored version */
  onChosen: (chosen: readonly MemberChange[]) => void;
  onClose: () => void;
}) {
  const { mine, theirs } = props;
  const [choices, setChoices] = useState<Record<string, Choice>>({});
  const disputed = mine.filter((change) => rivalsOf(change, theirs).length > 0);
  const undisputed = mine.filter((change) => !disputed.includes(change));
  const elsewhere = theirs.filter((change) => !disputed.some((own) => touches(own, change)));
  const open = disputed.filter(({ path }) => choices[path] === undefined);

  const save = (): void => props.onChosen([...undisputed, ...disputed.filter(({ path }) => choices[path] === 'mine')]);

  return (
    <Modal
      opened
      size="lg"
      onClose={props.onClose}
      title={`Somebody else changed this ${props.what}`}
      closeButtonProps={{ 'aria-label': 'Continue editing' }}
    >
      <Stack gap="md">
        <Text size="sm">
          It was changed <RelativeTime at={props.changedAt} />, after you opened it. None of your changes are saved yet.
        </Text>
        {disputed.map((change) => (
          <fieldset key={change.path} className={classes.member}>
            <legend>{nameOf(change)}</legend>
            {(['theirs', 'mine'] as const).map((choice) => (
              <label key={choice} className={classes.choice}>
                <input
                  type="radio"
                  name={change.path}
                  checked={choices[change.path] === choice}
                  onChange={() => setChoices({ ...choices, [change.path]: choice })}
                />
                <span>
                  {choice === 'mine' ? 'Save yours: ' : 'Keep theirs: '}
                  <Value
                    value={choice === 'mine' ? change.after : rivalsOf(change, theirs).map(({ after }) => after)[0]}
                  />
                </span>
              </label>
            ))}
          </fieldset>
        ))}
        <Changes title="Their changes, already saved" changes={elsewhere} />
        <Changes title="Your changes, to be saved" changes={undisputed} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={props.onClose}>
            Continue editing
          </Button>
          <Button disabled={open.length > 0} onClick={save}>
            {disputed.length === 0 ? 'Save both' : 'Save selected'}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** Their changes to the same member, or inside it, that lead to a different value. */
const rivalsOf = (change: MemberChange, theirs: readonly MemberChange[]): MemberChange[] =>
  theirs.filter(
    (other) => touches(change, other) && !(other.path === change.path && sameJson(other.after, change.after)),
  );

function Changes({ title, changes }: { title: string; changes: readonly MemberChange[] }) {
  if (changes.length === 0) return null;
  return (
    <section aria-label={title}>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      {changes.map((change) => (
        <Text key={change.path} size="sm">
          {nameOf(change)}: <Value value={change.before} /> → <Value value={change.after} />
        </Text>
      ))}
    </section>
  );
}

const nameOf = ({ path }: MemberChange): string => path.slice(1).replaceAll('/', '.');

function Value({ value }: { value: unknown }) {
  if (value === undefined || value === null) return <em>nothing</em>;
  return <Code className={classes.value}>{typeof value === 'string' ? value : JSON.stringify(value)}</Code>;
}

/** One member that differs; undefined means absent. Lists are compared as a whole. */
export interface MemberChange {
  /** RFC 6901. */
  path: string;
  before: unknown;
  after: unknown;
}

/** The most deeply nested members in which two documents differ. */
export function memberChanges(before: unknown, after: unknown, path = ''): MemberChange[] {
  if (!isObject(before) || !isObject(after) || numberText(before) || numberText(after))
    return sameJson(before, after) ? [] : [{ path, before, after }];
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].flatMap((key) =>
    memberChanges(
      Object.hasOwn(before, key) ? before[key] : undefined,
      Object.hasOwn(after, key) ? after[key] : undefined,
      pointerTo(path, key),
    ),
  );
}

/** Patches only these members, so that a change elsewhere is not overwritten. */
export const patchOf = (changes: readonly MemberChange[]): PatchOperation[] =>
  changes.map(({ path, before, after }) => {
    if (after === undefined) return { op: 'remove', path };
    return { op: before === undefined ? 'add' : 'replace', path, value: after };
  });

/** Whether one contains the other. */
export const touches = (a: MemberChange, b: MemberChange): boolean =>
  `${a.path}/`.startsWith(`${b.path}/`) || `${b.path}/`.startsWith(`${a.path}/`);

export const applied = <T,>(target: T, changes: readonly MemberChange[]): T =>
  changes.reduce<unknown>((document, { path, after }) => withMember(document, keysOf(path), after), target) as T;
