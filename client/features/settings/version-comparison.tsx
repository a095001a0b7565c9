import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Setting, SettingVersion } from '../../../shared/settings.ts';
import { decryptSetting, decryptVersion } from '../../api/settings.ts';
import { visibleLines } from '../../lib/visible-text.ts';
import { SecretValue } from './secret-value.tsx';
import classes from './settings.module.css';

/** A version beside the setting as it is now, with what differs; secrets are masked. @param now null if it is deleted */
export function VersionComparison(props: {
  settingKey: string;
  now: Setting | null;
  version: SettingVersion;
  /** Names the version. */
  times: string;
}) {
  const { settingKey, now, version, times } = props;
  const then = version.encrypted ? (
    <SecretValue
      key={version.version}
      name={`${settingKey}, ${times}`}
      read={() => decryptVersion({ key: settingKey, version: version.version })}
    />
  ) : (
    <PlainValue value={version.value} other={now === null || now.encrypted ? undefined : now.value} />
  );
  const same = now !== null && !now.encrypted && !version.encrypted && now.value === version.value;
  return (
    <>
      <dl className={classes.fields}>
        <Field name="Value then">{then}</Field>
        {now !== null && (
          <Field name={same ? 'Value now, the same' : 'Value now'}>
            {now.encrypted ? (
              <SecretValue key={now.updated_at} name={`${settingKey}, now`} read={() => decryptSetting(settingKey)} />
            ) : (
              <PlainValue value={now.value} other={version.encrypted ? undefined : version.value} />
            )}
          </Field>
        )}
        {(now === null || now.category !== version.category) && (
          <>
            <Field name="Category then">{version.category ?? <em>none</em>}</Field>
            {now !== null && <Field name="Category now">{now.category ?? <em>none</em>}</Field>}
          </>
        )}
        {now !== null && now.encrypted !== version.encrypted && (
          <>
            <Field name="Stored then">{storedHow(version)}</Field>
            <Field name="Stored now">{storedHow(now)}</Field>
          </>
        )}
      </dl>
      {version.encrypted && now?.encrypted === false && (
        <Text size="sm">Restoring stores the setting encrypted again.</Text>
      )}
    </>
  );
}

const storedHow = ({ encrypted }: { encrypted: boolean }): string => (encrypted ? 'encrypted' : 'in plain text');

const Field = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

/** @param other what it is compared with; undefined if that is nothing, or not known */
function PlainValue({ value, other }: { value: string; other: string | undefined }) {
  if (value === '') return <em>empty</em>;
  const [before, differs, after] = differingPart(value, other ?? value).map(visibleLines) as [string, string, string];
  return (
    // What scrolls must be reachable by keyboard.
    <div className={classes.versionValue} tabIndex={value.length > LONG ? 0 : undefined}>
      {before}
      {differs !== '' && <mark className={classes.differs}>{differs}</mark>}
      {after}
    </div>
  );
}

/** Longer values may have to scroll. */
const LONG = 150;

/**
 * A text in three parts: what it begins with as another one does, what differs, and what it ends with as the other one
 * does. No character is cut in two.
 */
export function differingPart(text: string, other: string): [before: string, differs: string, after: string] {
  const [own, others] = [text.length, other.length];
  const shorter = Math.min(own, others);
  let start = 0;
  while (start < shorter && text[start] === other[start]) start += 1;
  let end = 0;
  while (end < shorter - start && text[own - 1 - end] === other[others - 1 - end]) end += 1;
  if (isLowSurrogate(text, start) || isLowSurrogate(other, start)) start -= 1;
  if (isLowSurrogate(text, own - end) || isLowSurrogate(other, others - end)) end -= 1;
  return [text.slice(0, start), text.slice(start, own - end), text.slice(own - end)];
}

/** The second half of a character that takes two code units. */
const isLowSurrogate = (text: string, index: number): boolean => /^[\udc00-\udfff]/.test(text.charAt(index));
