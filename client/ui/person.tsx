import { Fragment, type ReactNode } from 'react';
import { visibleText } from '../lib/visible-text.ts';
import classes from './person.module.css';

/**
 * A person by name, with the identifier below; by one of them alone, or by id, if that is all that is known. Has no
 * hooks and few elements: lists call it as a function, once a row.
 * @param props.oneLine name and identifier on one line
 */
export function Person(props: {
  name: string | undefined;
  identifier: string | undefined;
  id: string;
  oneLine?: boolean;
}) {
  const { id, oneLine } = props;
  const [first, second] = [props.name, props.identifier]
    .filter((text) => text !== undefined && text !== '')
    .map((text) => visibleText(text as string));
  const below = second === first ? undefined : second;
  return (
    <span
      className={classes.person}
      data-initials={initialsOf(props.name || props.identifier)}
      data-one-line={oneLine || undefined}
      title={below === undefined ? (first ?? id) : `${first}, ${below}`}
    >
      <bdi className={first === undefined ? classes.id : classes.name}>{withBreaks(first ?? id)}</bdi>
      {below !== undefined && (
        <>
          {' '}
          <bdi className={classes.identifier}>{withBreaks(below)}</bdi>
        </>
      )}
    </span>
  );
}

/** `AL` for Ada Lovelace, `A` for ada@example.org. */
function initialsOf(text = ''): string {
  const words = text.replace(/@.*/s, '').split(/\s+/);
  const letters = words.flatMap((word) => /[\p{L}\p{N}]/u.exec(word)?.[0] ?? []);
  return `${letters[0] ?? ''}${letters.length > 1 ? letters.at(-1) : ''}`.toUpperCase();
}

/** Shorter texts fit on a line of the narrowest screen. */
const FITS = 30;

/** Lets a long e-mail address break after `@` and before dots, and nowhere else as long as the parts fit. */
export function withBreaks(text: string): ReactNode {
  if (text.length < FITS || !text.includes('@')) return text;
  return text.split(/(?<=@)|(?=\.)/).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts never move
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}
