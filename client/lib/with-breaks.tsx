import { Fragment, type ReactNode } from 'react';

/** Breaks only long e-mail addresses: short ones fit on one line of a phone, and screen readers pause at each break. */
const ADDRESS = /\S{28,}/;

/** Lets a long e-mail address break after `@` and before dots, and elsewhere only if a part does not fit on a line. */
export const withBreaks = (text: string): ReactNode =>
  text.includes('@') && ADDRESS.test(text)
    ? text.split(/(?<=@)|(?=\.)/).map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts never change their order
        <Fragment key={index}>
          {index > 0 && <wbr />}
          {part}
        </Fragment>
      ))
    : text;
