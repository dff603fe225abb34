// The few pictures of the page. They are decoration: names are in the text.

import type { ComponentChildren } from 'preact';

function Icon({ children }: { children: ComponentChildren }) {
  return (
    <svg
      class="icon"
      viewBox="0 0 16 16"
      width="16"
      height="16"
      fill="none"
      stroke="currentColor"
      stroke-width="1.5"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      {children}
    </svg>
  );
}

/** A drawbridge, half open: two towers, the deck, its chain. */
export const Mark = () => (
  <Icon>
    <path d="M2 14V4h3v10M11 14V4h3v10M1 14h14M5 11l6-4M5 5l6 2" />
  </Icon>
);

export const Share = () => (
  <Icon>
    <path d="M6.5 9.5l3-3M7 4.5l1.2-1.2a3 3 0 0 1 4.3 4.3L11.3 8.8M9 11.5l-1.2 1.2a3 3 0 0 1-4.3-4.3L4.7 7.2" />
  </Icon>
);

export const Chevron = () => (
  <Icon>
    <path d="M4 6l4 4 4-4" />
  </Icon>
);

export const Copy = () => (
  <Icon>
    <path d="M5.5 5.5h8v8h-8zM3.5 10.5h-1v-8h8v1" />
  </Icon>
);

export const Plus = () => (
  <Icon>
    <path d="M8 3v10M3 8h10" />
  </Icon>
);

export const Pencil = () => (
  <Icon>
    <path d="M3 13l.7-3L11 2.7 13.3 5 6 12.3zM9.5 4.2l2.3 2.3" />
  </Icon>
);

export const FileOpen = () => (
  <Icon>
    <path d="M2 12.5v-9h4l1.5 2H13v2M2 12.5L4 7.5h11l-2 5z" />
  </Icon>
);

export const FileSave = () => (
  <Icon>
    <path d="M8 2v8M4.8 7L8 10.2 11.2 7M2.5 11v2.5h11V11" />
  </Icon>
);

export const Close = () => (
  <Icon>
    <path d="M4 4l8 8M12 4l-8 8" />
  </Icon>
);

const themePaths = {
  system: <path d="M2.5 3.5h11v7h-11zM6 13h4" />,
  light: (
    <path d="M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6zM8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M12.6 3.4l-.7.7M4.1 11.9l-.7.7" />
  ),
  dark: <path d="M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5z" />,
  contrast: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M8 2.5v11a5.5 5.5 0 0 0 0-11z" fill="currentColor" />
    </>
  ),
};

export const ThemeIcon = ({ theme }: { theme: keyof typeof themePaths }) => (
  <Icon>{themePaths[theme]}</Icon>
);

/** Severity as a shape: a cross, a triangle, a dot. */
export const severityShape = { error: '✖', warning: '▲', info: '●' } as const;
