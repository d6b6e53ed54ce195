"use strict";
(() => {
  const MILLISECONDS = 1200;
  const find = (selector) => document.querySelector(selector);
  const { boxes, steps, wrong } = JSON.parse(find("#data").textContent);
  const last = steps.length - 1;
  const slider = find(".slider");
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  let position = 0;
  let timer = 0;

  const cells = new Map(Object.keys(boxes).map((id) => [id, []]));
  for (const cell of document.querySelectorAll(".box .cell")) {
    const part = cell.classList.contains("data") ? "data" : "grad";
    cells.get(cell.closest(".box").dataset.id).push([cell, part, cell.querySelector(".number")]);
  }
  for (const cell of document.querySelectorAll("td.cell")) {
    cells.get(cell.dataset.box).push([cell, cell.dataset.part, cell]);
  }

  const shown = (changes) => {
    let latest = changes[0];
    for (const change of changes) {
      if (change[0] > position) break;
      latest = change;
    }
    return latest;
  };

  const piece = ([kind, text, raised]) => {
    if (kind === "/") return fraction(text, raised);
    const element = document.createElement(raised ? (raised > 0 ? "sup" : "sub") : "span");
    element.className = kind;
    element.textContent = text;
    return element;
  };
  const fraction = (above, below) => {
    const whole = document.createElement("span");
    const [top, stroke, bottom] = ["above", "unseen", "below"].map((name) => {
      const part = document.createElement("span");
      part.className = name;
      return part;
    });
    whole.className = "fraction";
    stroke.textContent = "/";
    top.append(...above.map(piece));
    bottom.append(...below.map(piece));
    whole.append(top, stroke, bottom);
    return whole;
  };
  const paragraph = ([kind, ...pieces]) => {
    const element = document.createElement("p");
    element.className = kind;
    element.append(...pieces.map(piece));
    return element;
  };

  const show = () => {
    const [place, phase, title, line, more, touched] = steps[position];
    for (const [id, changes] of Object.entries(boxes)) {
      const [, data, dataState, grad, gradState] = shown(changes);
      for (const [cell, part, text] of cells.get(id)) {
        text.textContent = part === "data" ? data : grad;
        cell.dataset.state = part === "data" ? dataState : gradState;
      }
      const differs = wrong.includes(id) && gradState !== "u";
      for (const box of document.querySelectorAll(`.box[data-id="${id}"]`)) box.classList.toggle("differs", differs);
    }
    for (const element of document.querySelectorAll(".graph [data-id]")) {
      element.classList.toggle("touched", touched.includes(element.dataset.id));
    }
    for (const row of document.querySelectorAll("tr[data-row]")) {
      row.classList.toggle("touched", touched.includes(row.dataset.row));
    }
    find(".title").textContent = title;
    find(".line").textContent = line;
    find(".line").classList.toggle("sentence", !phase);
    find(".more").replaceChildren(...more.map(paragraph));
    find(".place").textContent = place;
    slider.value = position;
    slider.setAttribute("aria-valuetext", `${position} of ${last}: ${place}`);
    find(".back").setAttribute("aria-disabled", position === 0);
    find(".next").setAttribute("aria-disabled", position === last);
    document.documentElement.dataset.step = position;
    for (const link of document.querySelectorAll(".list a")) {
      if (Number(link.dataset.step) === position) link.setAttribute("aria-current", "step");
      else link.removeAttribute("aria-current");
    }
  };

  const bringIntoView = (behavior = still.matches ? "auto" : "smooth") => {
    const room = [...document.querySelectorAll(".room")].find((each) => each.offsetWidth);
    const areas = [...room.querySelectorAll(".box.touched, .op.touched")].map((each) => each.getBoundingClientRect());
    if (!areas.length) return;
    const frame = room.getBoundingClientRect();
    const away = (begins, ends) => {
      const [begin, end] = [Math.min(...areas.map((a) => a[begins])), Math.max(...areas.map((a) => a[ends]))];
      const isSeen = begin >= frame[begins] && end <= frame[ends];
      return isSeen ? 0 : (begin + end - frame[begins] - frame[ends]) / 2;
    };
    room.scrollBy({ left: away("left", "right"), top: away("top", "bottom"), behavior });
  };

  const address = () => {
    try {
      history.replaceState(null, "", `#step=${position}`);
    } catch {
      // a page inside a page without an address has none to change
    }
  };

  const go = (wanted, speak = true) => {
    position = Math.max(0, Math.min(last, wanted));
    show();
    bringIntoView();
    address();
    if (speak) find('[role="status"]').textContent = `${steps[position][0]}. ${find(".line").textContent}`;
  };

  const pause = () => {
    clearInterval(timer);
    timer = 0;
    find(".play").textContent = "Play";
  };
  const play = () => {
    if (timer) {
      pause();
      go(position);
      return;
    }
    if (position === last) go(0, false);
    find(".play").textContent = "Pause";
    timer = setInterval(() => {
      go(position + 1, position + 1 === last);
      if (position === last) pause();
    }, MILLISECONDS);
  };
  const step = (wanted) => {
    pause();
    go(wanted);
  };

  const fromAddress = () => {
    const found = /(?:^#|&)step=(end|\d{1,9})$/.exec(location.hash);
    return found ? (found[1] === "end" ? last : Number(found[1])) : null;
  };

  find(".back").addEventListener("click", () => step(position - 1));
  find(".next").addEventListener("click", () => step(position + 1));
  find(".play").addEventListener("click", play);
  slider.max = last;
  slider.addEventListener("input", () => step(Number(slider.value)));
  addEventListener("hashchange", () => {
    const wanted = fromAddress();
    if (wanted !== null && wanted !== position) step(wanted);
  });

  const keys = {
    ArrowRight: () => step(position + 1),
    ArrowLeft: () => step(position - 1),
    Home: () => step(0),
    End: () => step(last),
    " ": play,
  };
  addEventListener("keydown", (event) => {
    const target = event.target;
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || !(event.key in keys)) return;
    if (target === slider && event.key !== " ") return;
    if (event.key === " " && target.closest("button, summary, a")) return;
    const scrolls = target.closest(".room, pre");
    const hasMore = scrolls && (scrolls.scrollWidth > scrolls.clientWidth || scrolls.scrollHeight > scrolls.clientHeight);
    if (hasMore && event.key !== " ") return;
    event.preventDefault();
    keys[event.key]();
  });

  let before = null;
  addEventListener("beforeprint", () => {
    pause();
    before ??= position; // some browsers announce printing twice
    position = last;
    show();
  });
  addEventListener("afterprint", () => {
    if (before === null) return;
    position = before;
    before = null;
    show();
  });

  const narrowNames = () => {
    for (const text of document.querySelectorAll("text[data-room]")) {
      const room = Number(text.dataset.room);
      if (text.getComputedTextLength() > room) {
        text.setAttribute("textLength", room);
        text.setAttribute("lengthAdjust", "spacingAndGlyphs");
      }
    }
  };
  addEventListener("resize", () => {
    narrowNames();
    bringIntoView("auto");
  });
  narrowNames();

  const phases = find(".phases");
  for (const [, phase] of steps.slice(1, last)) {
    const end = phases.lastElementChild;
    if (end && end.dataset.phase === phase) {
      end.style.flexGrow = Number(end.style.flexGrow) + 1;
    } else {
      const part = document.createElement("span");
      part.dataset.phase = part.textContent = phase;
      part.style.flexGrow = 1;
      phases.append(part);
    }
  }
  find(".list ol").append(
    ...steps.map(([place, , , line], number) => {
      const [item, link] = [document.createElement("li"), document.createElement("a")];
      link.href = `#step=${number}`;
      link.dataset.step = number;
      link.textContent = line;
      item.append(link);
      return item;
    }),
  );
  find(".row").hidden = find(".list").hidden = false;
  position = Math.min(last, fromAddress() ?? 0);
  show();
  bringIntoView("auto");
})();
