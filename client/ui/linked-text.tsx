import { Anchor } from '@mantine/core';
import { visibleLines } from '../lib/visible-text.ts';

/** An `http(s)` URL, without punctuation that follows it. */
const ADDRESS = /(\bhttps?:\/\/[^\s<>"“”⟨⟩]*[^\s<>"“”⟨⟩.,;:!?'’()[\]{}…])/i;

/**
 * Untrusted text in which URLs are links to new tabs. Each names its host as the browser understands it: what precedes
 * an `@`, and letters that resemble others, could name another one.
 */
export const LinkedText = ({ text }: { text: string }) => (
  <bdi>
    {visibleLines(text)
      .split(ADDRESS)
      .map((part, index) => {
        if (index % 2 === 0 || !URL.canParse(part)) return part;
        const { protocol, host, href } = new URL(part);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same text has the same parts
          <Anchor key={index} inherit underline="always" href={href} target="_blank" rel="noreferrer noopener">
            {part.replace(/^https?:\/\/[^/\\?#]*/i, `${protocol}//${host}`)}
          </Anchor>
        );
      })}
  </bdi>
);
