import type { ComponentType } from 'react';

/** `size` in pixels, `stroke` in 24ths of it. Hidden from screen readers: the text is next to it. */
export type Icon = ComponentType<{ size?: number; stroke?: number; className?: string | undefined }>;

/** An icon of Tabler's outline set (https://tabler.io/icons, licence in this folder). @param d of all its paths, joined */
export function drawn(d: string): Icon {
  return ({ size = 16, stroke = 2, className }) => (
    <svg
      width={size}
      height={size}
      className={className}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={stroke}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden
    >
      <path d={d} />
    </svg>
  );
}
